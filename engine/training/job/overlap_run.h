// A training step whose gradients are averaged after the backward pass, and once more while it goes on, as a job; and
// what its trace says of both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/overlap.h"
#include "engine/run/job/job.h"
#include "engine/training/network/lenet5.h"
#include "engine/training/overlap/buckets.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::training {

/// A layer that pretends to compute.
struct MadeUpLayer {
  double backward_us = 0;   ///< Time of its backward pass.
  std::uint64_t bytes = 4;  ///< Of its gradient.
};

struct OverlapRun {
  std::vector<MadeUpLayer> stack;  ///< First layer first; empty: LeNet-5.
  int batch = 32;                  ///< Pictures a rank, of LeNet-5.
  double compute_scale = 1;        ///< Computing takes so many times longer: the rank sleeps.
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

/// JobSpec::algorithm of the job.
inline constexpr std::string_view kOverlapProgram = "overlap";
/// What its trace calls things.
inline constexpr std::string_view kApartPhase = "one after the other",
                                  kOverlappedPhase = "overlapped", kDifferences = "differences";
std::string backward_name(std::string_view layer);  ///< "backward fc1"

/// One of the two steps on one rank: the trace's times, and the closed form's.
struct StepFigures {
  Rank rank = -1;
  OverlapTimes times;
  /// Of the buckets, in their order: when each was full, when its allreduce could begin (without overlap: after the
  /// backward pass), and when it ran.
  std::vector<std::int64_t> full, startable;
  std::vector<Interval> allreduces;
  std::int64_t computed = 0;  ///< When the backward pass was over.
  /// What the closed form says is exposed, given these moments and the lengths of these allreduces.
  std::int64_t closed_form = 0;
  /// What the closed form does not know: from when an allreduce could begin to when it began, and gaps within
  /// computing. By so much at most it differs from `times.exposed`.
  std::int64_t slack = 0;
};

/// What the trace of one job says.
struct OverlapMeasured {
  OverlapRun run;
  std::vector<StepFigures> apart, overlapped;  ///< By rank.
  std::uint64_t different = 0;  ///< Elements of all ranks in which the averages differ.
  bool ranks_agree = false;     ///< All have the same bits.

  /// The rank that is the last to end.
  const StepFigures& slowest(bool overlapped) const;
  /// The time of the slowest rank.
  std::int64_t step_ns(bool overlapped) const;
  /// What the closed form expects to be exposed when it knows the step without overlap only: its computing and its
  /// allreduces, of the rank that is the slowest one with overlap.
  std::int64_t expected_exposed() const;
};
/// Throws UserError for a trace of something else, or of a run that did not come to its end.
OverlapMeasured overlap_measured(const Trace& trace);

}  // namespace rankscope::training
