// A job's changes to its topology: bandwidths, cut and added links, and the placement of ranks.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/network/network.h"
#include "engine/network/topology.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// Applies "0:1=cut,0:2=50GB/s": each link between the two nodes (ranks by number, others by name) is cut, or gets this
/// bandwidth in each direction; a missing link is added, with the least latency of the topology's links. Throws
/// UserError, also if ranks can no longer reach each other.
void change_links(Topology& topology, std::string_view changes);

std::unique_ptr<Network> placed(std::unique_ptr<Network> network, std::vector<Rank> places);

/// Returns the job's topology with its changed links. Throws UserError, also if the job names none.
Topology topology_of(const JobSpec& spec);

}  // namespace rankscope
