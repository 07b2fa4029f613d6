// A step of a parallel form as a job: its settings, what each rank reports, and what all of them together say.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"
#include "engine/training/parallel/line_counts.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::training {

struct ParallelRun {
  std::string form = "tensor";
  ParallelSettings settings = {};
  std::string reports;  ///< Folder in which each rank leaves its report; empty: none.

  /// Throws UserError: settings that validate and fit so many ranks.
  void validate(int ranks) const;
  const ParallelForm& row() const { return require_parallel_form(form); }
};
std::string to_json(const ParallelRun& run);
/// Throws UserError.
ParallelRun parallel_run_from_json(std::string_view text);

/// The job that carries it out: for workers that have execute_training as their program. Throws UserError.
JobSpec job_of(const ParallelRun& run, int world_size);
/// One rank's part of it: the step, then the serial network's, and how far they are apart.
void run_parallel_step(RankContext& rank, std::string_view settings);

/// What one rank found.
struct RankStepReport {
  Rank rank = -1;
  StepError error;
  std::vector<PieceExtent> pieces;
};
/// Throws UserError when the rank has left none.
RankStepReport read_step_report(const std::filesystem::path& folder, Rank rank);

/// What came of a step on all ranks.
struct StepReport {
  std::vector<CommunicationLine> lines;
  std::vector<LineCount> counts;  ///< One more than lines: outside of them.
  std::vector<RankStepReport> ranks;
  std::size_t missing = 0;  ///< Elements of outputs and gradients that no rank has.

  double largest_error() const noexcept;
  /// By rounding alone, errors stay below.
  static double tolerance(const ParallelSettings& settings) noexcept;
  bool bytes_agree() const noexcept;
  bool ok(const ParallelSettings& settings) const noexcept;
};
/// `trace`: of a job that ended well. Throws UserError when a report is missing.
StepReport report_of(const ParallelRun& run, const Trace& trace);

}  // namespace rankscope::training
