// Figures that describe a topology: its diameter and its bisection bandwidth.
#pragma once

#include <optional>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

struct Bisection {
  double bandwidth =
      0;  ///< Bytes per second from one half of the ranks to the other, in one direction.
  /// All halves were tried. Otherwise halves that lie near: some other cut may be narrower, none of these is.
  bool exact = false;
};

/// The bandwidth between the two halves of the ranks that have the least between them (with an odd number, one has one
/// more): the maximum flow (Dinic 1970). Nothing for one rank, a uniform network, or one that is too large to wait for.
std::optional<Bisection> find_bisection(const Topology& topology);

/// The links between the two ranks that are farthest apart. Nothing when it is too large to wait for.
std::optional<int> find_diameter(const Topology& topology);

}  // namespace rankscope
