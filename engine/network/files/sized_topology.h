// Shipped topologies of another size or speed, by their names: "torus-2d@64", "ring@2x".
#pragma once

#include <string>
#include <string_view>

#include "engine/network/topology.h"

namespace rankscope {

/// Returns the name under which open_topology() makes the topology for this many ranks: `name` itself if it has exactly
/// these, else "torus-2d@64". `name` may have a size already. Throws UserError for a topology that no family generated,
/// and for a size that its family does not have. A hypercube, a torus or a fat tree may get more ranks than asked for.
std::string topology_name_for(std::string_view name, int ranks);

/// Returns the topology generated again for at least this many ranks: a torus as square as it can be, a fat tree of the
/// fewest ranks. Throws as topology_name_for().
Topology resized(const Topology& topology, int ranks);

/// Returns the topology changed by the part of a name after its @: "64" is a size, "2x" makes each link twice as fast
/// (twice the bandwidth, half the latency), "2x-bandwidth" and "2x-latency" multiply one of them. Throws UserError.
Topology changed_by(const Topology& topology, const std::string& change);

/// Returns a name, with its size and speed, in words: "torus-2d of 64 ranks, 2 times as fast"; for a path, the file's
/// name. Leaves out a size of `unsaid` ranks.
std::string topology_in_words(std::string_view name, int unsaid = 0);

}  // namespace rankscope
