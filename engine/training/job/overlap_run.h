// A training step whose gradients are averaged after the backward pass, and again during it, as a job; and
// what its trace says of both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/overlap.h"
#include "engine/core/base/interval.h"
#include "engine/run/job/job.h"
#include "engine/training/network/lenet5.h"
#include "engine/training/overlap/gradient_average.h"

namespace rankscope {
class RankContext;
}

namespace rankscope {

/// The allreduces of buckets in a channel that carries one at a time, in their order: bucket j, full at r_j and lasting
/// a_j, ends at t_j = max(r_j, t_(j-1)) + a_j. Both spans have one value a bucket; r ascends.
std::vector<Interval> channel_times(std::span<const std::int64_t> full,
                                    std::span<const std::int64_t> lasting);

/// The time from the end of the backward pass to the end of the last allreduce, without recurrence:
/// max(0, max_j (r_j + a_j + a_(j+1) + ... + a_last) - end_of_computing).
std::int64_t exposed_time(std::span<const std::int64_t> full, std::span<const std::int64_t> lasting,
                          std::int64_t end_of_computing);

}  // namespace rankscope

namespace rankscope::training {

/// A layer that pretends to compute.
struct MadeUpLayer {
  double backward_us = 0;   ///< Time of its backward pass.
  std::uint64_t bytes = 4;  ///< Size of its gradient.
};

struct OverlapRun {
  std::vector<MadeUpLayer> stack;  ///< First layer first; empty: LeNet-5.
  int batch = 32;                  ///< Pictures a rank, of LeNet-5.
  double compute_scale = 1;        ///< Factor by which computing takes longer: the rank sleeps.
  std::string allreduce = "allreduce.ring";
  std::uint64_t bucket_bytes = 65536;
  std::uint64_t seed = 1;

  /// Throws UserError.
  void validate() const;
};
std::string to_json(const OverlapRun& run);
/// Throws UserError.
OverlapRun overlap_run_from_json(std::string_view text);

struct OverlapLayer {
  std::string name;
  Range range;  ///< In the gradient, whose elements are float32.
};
/// First layer first.
std::vector<OverlapLayer> layers_of(const OverlapRun& run);
std::vector<Bucket> buckets_of(const OverlapRun& run);

/// The job that makes both steps: for a runner whose workers have execute_training as their program. Throws UserError.
JobSpec job_of(const OverlapRun& run, int world_size);
/// One rank's part of it; its settings as JSON.
void measure_overlap(RankContext& rank, std::string_view settings);

/// JobSpec::Call::algorithm of the job.
inline constexpr std::string_view kOverlapProgram = "overlap";
/// Names in its trace.
inline constexpr std::string_view kApartPhase = "one after the other",
                                  kOverlappedPhase = "overlapped", kDifferences = "differences";
std::string backward_name(std::string_view layer);  ///< "backward fc1"

/// One of the two steps on one rank: the trace's times, and the closed form's.
struct StepFigures {
  Rank rank = -1;
  OverlapTimes times;
  /// By bucket: when it was full, when its allreduce could begin (without overlap: after the
  /// backward pass), and when it ran.
  std::vector<std::int64_t> full, startable;
  std::vector<Interval> allreduces;
  std::int64_t computed = 0;  ///< When the backward pass was over.
  /// Exposed seconds by the closed form, given these moments and the lengths of these allreduces.
  std::int64_t closed_form = 0;
  /// Seconds that the closed form does not know: from when an allreduce could begin to when it began, and gaps within
  /// computing. By so much at most it differs from `times.exposed`.
  std::int64_t slack = 0;
};

/// The figures of one job's trace.
struct OverlapMeasured {
  OverlapRun run;
  std::vector<StepFigures> apart, overlapped;  ///< By rank.
  std::uint64_t different = 0;  ///< Elements of all ranks in which the averages differ.
  bool ranks_agree = false;     ///< All have the same bits.

  /// The rank that is the last to end.
  const StepFigures& slowest(bool overlapped) const;
  /// The time of the slowest rank.
  std::int64_t step_ns(bool overlapped) const;
  /// Exposed seconds that the closed form expects from the step without overlap alone: its computing and its
  /// allreduces, of the rank that is the slowest one with overlap.
  std::int64_t expected_exposed() const;
};
/// Throws UserError for a trace of something else, or of a run that did not come to its end.
OverlapMeasured overlap_measured(const Trace& trace);

/// A message of b bytes takes alpha + b / bandwidth.
struct NetworkModel {
  double alpha_us = 100;
  double bytes_per_s = 1e9;
};

/// Returns the time of a ring allreduce of these bytes: 2 (N-1) messages of an N-th each, one after the other (Patarasuk and
/// Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009). Nothing for one rank.
std::int64_t ring_allreduce_ns(const NetworkModel& network, int ranks, std::uint64_t bytes);

/// The work of each rank, all alike (RankWork::rank is -1): the backward pass of run.stack, times run.compute_scale, and
/// the buckets' allreduces after it or, `overlapped`, beside it. Times count from the beginning of the backward pass.
/// Throws UserError for a run without made-up layers, whose times are unknown before it ran.
RankWork modelled_step(const OverlapRun& run, const NetworkModel& network, int ranks,
                       bool overlapped);

}  // namespace rankscope::training
