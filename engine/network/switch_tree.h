// Finds the tree of reducing switches above the ranks of a topology.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/message/reducing_tree.h"
#include "engine/network/topology.h"

namespace rankscope {

/// Returns the tree of the first `ranks` ranks, at `places` (parse_placement()). Its root is the reducing switch whose
/// farthest rank is nearest; of equal ones the first. Leaves out a switch with only one place below it. Returns nothing
/// if the ranks reach no common reducing switch without passing another rank.
std::optional<ReducingTree> find_reducing_tree(const Topology& topology,
                                               const std::vector<Rank>& places, int ranks);

/// Returns the rank of a place of the tree in a network of with_switch_ends(), which numbers the switches after the
/// ranks.
int network_end(const ReducingTree& tree, int topology_ranks, int place) noexcept;
/// Returns the topology with one more rank at each switch of the tree, so that a network carries bytes to and from it.
Topology with_switch_ends(Topology topology, const ReducingTree& tree);

}  // namespace rankscope
