// Bandwidth as the field accounts it.
#pragma once

#include <string_view>

namespace rankscope {

// A collective is named as everywhere: allreduce, reduce_scatter, allgather, alltoall, gather,
// scatter, broadcast, reduce, p2p. `n` is the number of ranks, `bytes` the size S of nccl-tests:
// what one rank contributes (allreduce, reduce, broadcast, p2p, reduce_scatter, alltoall, scatter's
// root) or, for allgather and gather, the total of all ranks.

/// Bus bandwidth / algorithm bandwidth (nccl-tests, doc/PERFORMANCE.md): what makes the figure
/// comparable with the speed of a link, whatever the number of ranks. 1 for unknown names.
double bus_factor(std::string_view collective, int n) noexcept;

/// S/t and S/t times the factor, in bytes per second; 0 for no time.
double algorithm_bandwidth(double bytes, double seconds) noexcept;
double bus_bandwidth(std::string_view collective, int n, double bytes, double seconds) noexcept;

/// The assignment's own accounting ("Ray AllReduce task"): bytes that a run of `bytes` a rank counts
/// for: 2 D (N-1)/N for an allreduce, whatever the algorithm, and D for point-to-point.
double assignment_bytes(std::string_view collective, int n, double bytes) noexcept;
/// Its unit: "MB/s" of 2^20 bytes.
inline constexpr double kAssignmentMegabyte = 1 << 20;
double assignment_bandwidth(std::string_view collective, int n, double bytes,
                            double seconds) noexcept;

}  // namespace rankscope
