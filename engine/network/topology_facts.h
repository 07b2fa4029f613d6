// Figures that describe a topology: its diameter and its bisection bandwidth.
#pragma once

#include <optional>

#include "engine/network/topology.h"

namespace rankscope {

struct Bisection {
  double bandwidth = 0;  ///< Bytes per second from one half of the ranks to the other.
  /// True if all halves were tried; otherwise only plausible ones were, and another cut may be narrower.
  bool exact = false;
};

/// Returns the least bandwidth between two halves of the ranks (of an odd number, one half has one more): the maximum
/// flow (Dinic 1970). Nothing for one rank, a uniform network, or one that is too large to wait for.
std::optional<Bisection> find_bisection(const Topology& topology);

/// Returns the number of links between the two ranks that are farthest apart. Nothing for a topology that is too large
/// to wait for.
std::optional<int> find_diameter(const Topology& topology);

}  // namespace rankscope
