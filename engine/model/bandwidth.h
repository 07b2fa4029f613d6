// Bandwidths of collectives, as nccl-tests and the assignment define them, and lower bounds that no algorithm can beat.
#pragma once

#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope {

// A collective is allreduce, reduce_scatter, allgather, alltoall, gather, scatter, broadcast, reduce
// or p2p. `n` is the number of ranks, `bytes` the size S of nccl-tests:
// what one rank contributes (allreduce, reduce, broadcast, p2p, reduce_scatter, alltoall, scatter's
// root) or, for allgather and gather, the total of all ranks.

/// Returns bus bandwidth / algorithm bandwidth (nccl-tests, doc/PERFORMANCE.md); 1 for unknown names.
/// Bus bandwidth can be compared with the speed of a link, whatever the number of ranks.
double bus_factor(std::string_view collective, int n) noexcept;

/// Return S/t, and S/t times the factor, in bytes per second; 0 if the time is 0.
double algorithm_bandwidth(double bytes, double seconds) noexcept;
double bus_bandwidth(std::string_view collective, int n, double bytes, double seconds) noexcept;

/// Returns the bytes that the assignment ("Ray AllReduce task") counts for a run of D bytes per rank:
/// 2 D (N-1)/N for an allreduce, whatever the algorithm, and D for point-to-point.
double assignment_bytes(std::string_view collective, int n, double bytes) noexcept;
/// The assignment's "MB": 2^20 bytes.
inline constexpr double kAssignmentMegabyte = 1 << 20;
double assignment_bandwidth(std::string_view collective, int n, double bytes,
                            double seconds) noexcept;

/// Bounds if a rank sends at most one message and receives at most one in a round (one port, both
/// ways at once), data are neither compressed nor guessed, and reductions combine element by element.
struct LowerBounds {
  int rounds = 0;
  /// Least bytes that the busiest rank sends, and that the busiest rank receives.
  double sent = 0, received = 0;
  /// Least bytes that the busiest rank combines: (N-1)/N of the data if the collective reduces.
  double reduced = 0;
  std::string_view rounds_why, bytes_why;  ///< One sentence each.
  std::string_view source;
};

/// Returns the bounds on `n` ranks. `bytes` is D: what one rank contributes (allreduce, reduce, broadcast,
/// reduce_scatter, alltoall, scatter's root, p2p), or the total of all ranks (allgather, gather).
LowerBounds lower_bounds(Collective collective, int n, double bytes) noexcept;

}  // namespace rankscope
