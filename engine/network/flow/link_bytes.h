// How long a link needs for the bytes that go over it.
#pragma once

#include <algorithm>

#include "engine/network/router.h"
#include "engine/network/topology.h"

namespace rankscope {

/// In which direction's sum the bytes of a hop count: 1 is from the link's b to its a. A half-duplex link has one sum, 0.
inline std::size_t way_of(const TopologyLink& link, const Hop& hop) {
  return hop.back && link.duplex != Duplex::half ? 1 : 0;
}

/// Seconds that the link needs at its bandwidth for the bytes of each way (see way_of), the longer of the two.
inline double seconds_needed(const TopologyLink& link, double there, double back) {
  return std::max(there / link.bandwidth, back / link.back);
}

}  // namespace rankscope
