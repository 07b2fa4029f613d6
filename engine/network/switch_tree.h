// Finds the tree of reducing switches above the ranks of a topology.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/message/reducing_tree.h"
#include "engine/network/topology.h"

namespace rankscope {

/// Returns the tree of the first `ranks` ranks, at `places` (parse_placement()). Its root is the reducing switch that is nearest to the
/// farthest rank; of equal ones the first. A switch below which there is only one place is left out. Nothing: there is no
/// reducing switch that all of them reach over switches.
std::optional<ReducingTree> find_reducing_tree(const Topology& topology,
                                               const std::vector<Rank>& places, int ranks);

/// Where a place of the tree is in a network that with_switch_ends() made, which has ranks at its switches behind its own.
int network_end(const ReducingTree& tree, int topology_ranks, int place) noexcept;
/// `topology` with a rank more at each switch of the tree, so that a network carries bytes to and from it.
Topology with_switch_ends(Topology topology, const ReducingTree& tree);

}  // namespace rankscope
