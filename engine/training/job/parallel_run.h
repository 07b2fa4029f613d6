// A step of a parallel form as a job: its settings, each rank's report, and the report of all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::training {

/// The messages that a step sent for one of its lines, counted in its trace.
struct LineCount {
  std::vector<std::uint64_t> bytes, messages;  ///< By sending rank.
  std::uint64_t busiest() const noexcept;      ///< Bytes of the rank that sent the most.
};

/// Returns a count for each line, and one more for the messages outside of all lines. A message belongs to the phase in
/// which its send was posted: the line's, or one within it.
std::vector<LineCount> count_lines(const Trace& trace, std::span<const CommunicationLine> lines);

struct ParallelRun {
  std::string form = "tensor";
  ParallelSettings settings = {};
  std::string reports;  ///< The folder for each rank's report; empty for none.

  /// Throws UserError unless the settings validate and fit so many ranks.
  void validate(int ranks) const;
  const ParallelForm& row() const { return require_parallel_form(form); }
};
std::string to_json(const ParallelRun& run);
/// Throws UserError.
ParallelRun parallel_run_from_json(std::string_view text);

/// Returns the job that carries it out, for workers with execute_training as their program. Throws UserError.
JobSpec job_of(const ParallelRun& run, int world_size);
/// Carries out one rank's part: the step, then the serial network's, and the difference between them.
void run_parallel_step(RankContext& rank, std::string_view settings);

/// A rank's comparison of its step with the reference.
struct RankStepReport {
  Rank rank = -1;
  StepError error;
  std::vector<PieceExtent> pieces;
};
/// Throws UserError if there is none of this rank.
RankStepReport read_step_report(const std::filesystem::path& folder, Rank rank);

/// The outcome of a step on all ranks.
struct StepReport {
  std::vector<CommunicationLine> lines;
  std::vector<LineCount> counts;  ///< One more than lines: messages outside of them.
  std::vector<RankStepReport> ranks;
  std::size_t missing = 0;  ///< Elements of outputs and gradients in no rank's result.

  double largest_error() const noexcept;
  /// Returns the error that rounding alone stays below.
  static double tolerance(const ParallelSettings& settings) noexcept;
  bool bytes_agree() const noexcept;
  bool ok(const ParallelSettings& settings) const noexcept;
};
/// Reads all ranks' reports. `trace` is of a job that ended well. Throws UserError if a report is missing.
StepReport report_of(const ParallelRun& run, const Trace& trace);

}  // namespace rankscope::training
