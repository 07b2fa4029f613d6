// How long a link needs for the bytes that go over it.
#pragma once

#include <algorithm>

#include "engine/network/router.h"
#include "engine/network/topology.h"

namespace rankscope {

/// Returns the index of the sum to which a hop's bytes count: 1 from the link's b to its a, else 0. A half-duplex link
/// has only sum 0.
inline std::size_t way_of(const TopologyLink& link, const Hop& hop) {
  return hop.back && link.duplex != Duplex::half ? 1 : 0;
}

/// Returns the seconds that a link needs for the bytes of its two sums (see way_of): the longer time of the two.
inline double seconds_needed(const TopologyLink& link, double there, double back) {
  return std::max(there / link.bandwidth, back / link.back);
}

}  // namespace rankscope
