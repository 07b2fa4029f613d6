// A job that makes a training step twice, with gradients averaged after the backward pass and during it, and the
// figures of both from its trace. Times without a unit in their name are nanoseconds.
#pragma once

#include <cstdint>
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

/// Returns when the allreduces of buckets run in a channel that carries one at a time, in order: bucket j, full at r_j
/// and lasting a_j, ends at t_j = max(r_j, t_(j-1)) + a_j. Both spans have one value per bucket; r ascends.
std::vector<Interval> channel_times(std::span<const std::int64_t> full,
                                    std::span<const std::int64_t> lasting);

/// Returns the time from the end of the backward pass to the end of the last allreduce, in closed form:
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
  int batch = 32;                  ///< Pictures per rank, for LeNet-5.
  double compute_scale = 1;  ///< Factor on the time of computing: the rank sleeps for the rest.
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
/// Returns the layers, the first one first.
std::vector<OverlapLayer> layers_of(const OverlapRun& run);
std::vector<Bucket> buckets_of(const OverlapRun& run);

/// Returns the job of both steps, for a runner whose workers have execute_training as their program. Throws UserError.
JobSpec job_of(const OverlapRun& run, int world_size);
/// Carries out one rank's part of the job. `settings` are those of to_json(). Throws UserError and CommError.
void measure_overlap(RankContext& rank, std::string_view settings);

/// JobSpec::Call::algorithm of the job.
inline constexpr std::string_view kOverlapProgram = "overlap";
/// Names in its trace.
inline constexpr std::string_view kApartPhase = "one after the other",
                                  kOverlappedPhase = "overlapped", kDifferences = "differences";
std::string backward_name(std::string_view layer);  ///< "backward fc1"

/// Times of one of the two steps on one rank, from the trace and by the closed form.
struct StepFigures {
  Rank rank = -1;
  OverlapTimes times;
  /// By bucket: when it was full, when its allreduce could begin (without overlap: after the
  /// backward pass), and when it ran.
  std::vector<std::int64_t> full, startable;
  std::vector<Interval> allreduces;
  std::int64_t computed = 0;  ///< When the backward pass was over.
  /// The exposed time by the closed form, given `startable` and the lengths of these allreduces.
  std::int64_t closed_form = 0;
  /// The time that the closed form leaves out: delays between when allreduces could begin and did, and gaps within
  /// computing. It differs from `times.exposed` by at most this.
  std::int64_t slack = 0;
};

/// The figures of one job's trace.
struct OverlapMeasured {
  OverlapRun run;
  std::vector<StepFigures> apart, overlapped;  ///< By rank.
  std::uint64_t different = 0;  ///< Elements, of all ranks, in which the two averages differ.
  bool ranks_agree = false;     ///< All ranks' averages have the same bits.

  /// Returns the figures of the rank that takes longest.
  const StepFigures& slowest(bool overlapped) const;
  /// Returns the time of the slowest rank.
  std::int64_t step_ns(bool overlapped) const;
  /// Returns the exposed time that the closed form predicts from the step without overlap, for the rank that is slowest
  /// with overlap.
  std::int64_t expected_exposed() const;
};
/// Reads the figures from a trace. Throws UserError for a trace of something else, or of a run that did not end.
OverlapMeasured overlap_measured(const Trace& trace);

/// A message of b bytes takes alpha + b / bandwidth.
struct NetworkModel {
  double alpha_us = 100;
  double bytes_per_s = 1e9;
};

/// Returns the time of a ring allreduce of these bytes: 2 (N-1) messages of an N-th each, one after the other
/// (Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009). 0 for one
/// rank.
std::int64_t ring_allreduce_ns(const NetworkModel& network, int ranks, std::uint64_t bytes);

/// Returns the work of each rank, all alike (RankWork::rank is -1): the backward pass of run.stack, times
/// run.compute_scale, and the buckets' allreduces after it or, if `overlapped`, during it. Times count from the
/// beginning of the backward pass. Throws UserError for a run without made-up layers, whose times are unknown before it
/// has run.
RankWork modelled_step(const OverlapRun& run, const NetworkModel& network, int ranks,
                       bool overlapped);

}  // namespace rankscope::training
