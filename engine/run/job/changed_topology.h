// A job's changes to its topology: bandwidths, cut and added links, and which rank is where.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/network/network.h"
#include "engine/network/topology.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// "0:1=cut,0:2=50GB/s": each link between the two nodes (ranks by number, others by name) is cut, or has this bandwidth each
/// way; where there is none, one is added, with the least latency of the topology's links. Throws UserError, also where ranks
/// cannot reach each other any more.
void change_links(Topology& topology, std::string_view changes);

/// The network with its ranks at these places.
std::unique_ptr<Network> placed(std::unique_ptr<Network> network, std::vector<Rank> places);

/// The topology that the job names, with its changed links. Throws UserError; without a name, too.
Topology topology_of(const JobSpec& spec);

}  // namespace rankscope
