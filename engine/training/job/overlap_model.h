// The step with and without overlap as the closed form has it, without any run: to see at once what another size of
// buckets, or another network, would do.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/analysis/overlap.h"
#include "engine/training/job/overlap_run.h"

namespace rankscope::training {

/// A message of b bytes takes alpha + b / bandwidth.
struct NetworkModel {
  double alpha_us = 100;
  double bytes_per_s = 1e9;
};

/// Time of a ring allreduce of so many bytes: 2 (N-1) messages of an N-th each, one after the other (Patarasuk and
/// Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009). Nothing for one rank.
std::int64_t ring_allreduce_ns(const NetworkModel& network, int ranks, std::uint64_t bytes);

/// What each rank does, all alike (RankWork::rank is -1): the backward pass of run.stack, times run.compute_scale, and
/// the buckets' allreduces after it or, `overlapped`, beside it. Times count from the beginning of the backward pass.
/// Throws UserError for a run without made-up layers, whose times nobody knows before it ran.
RankWork modelled_step(const OverlapRun& run, const NetworkModel& network, int ranks,
                       bool overlapped);

}  // namespace rankscope::training
