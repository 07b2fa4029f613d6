// Lower bounds that no algorithm for a collective can beat.
#pragma once

#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope {

/// A rank sends at most one message and receives at most one in a round (one port, both ways at
/// once); data are neither compressed nor guessed; reductions combine values element by element.
struct LowerBounds {
  int rounds = 0;
  /// Bytes that some rank sends, and some rank receives, at least.
  double sent = 0, received = 0;
  /// Bytes that some rank combines at least: (N-1)/N of the data where the collective reduces.
  double reduced = 0;
  std::string_view rounds_why, bytes_why, reduced_why;  ///< One sentence each.
  std::string_view source;
};

/// On `n` ranks. `bytes` is D: what one rank contributes (allreduce, reduce, broadcast,
/// reduce_scatter, alltoall, scatter's root, p2p), or the total of all ranks (allgather, gather).
LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept;

}  // namespace rankscope
