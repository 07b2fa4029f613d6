// Lower bounds that no algorithm for a collective can beat.
#pragma once

#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope {

/// Bounds if a rank sends at most one message and receives at most one in a round (one port, both
/// ways at once), data are neither compressed nor guessed, and reductions combine element by element.
struct LowerBounds {
  int rounds = 0;
  /// Least bytes that the busiest rank sends, and that the busiest rank receives.
  double sent = 0, received = 0;
  /// Least bytes that the busiest rank combines: (N-1)/N of the data if the collective reduces.
  double reduced = 0;
  std::string_view rounds_why, bytes_why, reduced_why;  ///< One sentence each.
  std::string_view source;
};

/// Returns the bounds on `n` ranks. `bytes` is D: what one rank contributes (allreduce, reduce, broadcast,
/// reduce_scatter, alltoall, scatter's root, p2p), or the total of all ranks (allgather, gather).
LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept;

}  // namespace rankscope
