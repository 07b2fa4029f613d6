// A topology as a platform file of SimGrid, to compare with its simulator.
#pragma once

#include <string>

#include "engine/network/topology.h"

namespace rankscope {

/// Returns platform XML of version 4.1: a host per rank ("rank-0"), a link per direction (one for both of half duplex),
/// and the route of every pair of ranks as it is taken here. Its figures are plain: run SimGrid with
/// --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/weight-S:0 --cfg=network/crosstraffic:0
/// --cfg=network/optim:Full and factors of 1, and compare with Sharing::by_latency (make_network.h), or the results
/// differ. Throws UserError for a topology with a fault, for a uniform network of more than 256 ranks or without a
/// bandwidth, and for any other of more than 1000 ranks.
std::string to_simgrid(const Topology& topology);

}  // namespace rankscope
