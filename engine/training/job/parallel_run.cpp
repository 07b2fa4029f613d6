// A parallel step in worker processes: settings and reports as JSON, the run on a rank, and its messages.
#include "engine/training/job/parallel_run.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/training/job/training_program.h"

namespace rankscope::training {
namespace {

/// Returns the index of the line whose phase this is or is within; lines.size() if there is none.
std::size_t line_of_phase(const Trace& trace, std::uint32_t phase,
                          std::span<const CommunicationLine> lines) {
  auto found = lines.end();
  find_around(trace, Definition::Kind::phase, phase, [&](const Definition& one) {
    found = ranges::find(lines, one.name, &CommunicationLine::name);
    return found != lines.end();
  });
  return static_cast<std::size_t>(found - lines.begin());
}

}  // namespace

std::uint64_t LineCount::busiest() const noexcept {
  return bytes.empty() ? 0 : *ranges::max_element(bytes);
}

std::vector<LineCount> count_lines(const Trace& trace, std::span<const CommunicationLine> lines) {
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  std::vector<LineCount> out(
      lines.size() + 1, {std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)});
  std::vector<std::size_t> line_of;  // by phase
  for (const Definition& phase : trace.definitions(Definition::Kind::phase))
    line_of.push_back(line_of_phase(trace, phase.id, lines));
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind != EventKind::posted || !is_send(event.verb)) continue;
    const bool named = event.phase > 0 && event.phase <= line_of.size();
    LineCount& line = out.at(named ? line_of[event.phase - 1] : lines.size());
    const auto rank = static_cast<std::size_t>(event.rank);
    line.bytes.at(rank) += event.bytes;
    ++line.messages.at(rank);
  }
  return out;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransformerShape, layers, batch, sequence, width, heads, inner,
                                   vocabulary)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParallelSettings, shape, microbatches, experts, seed, float64,
                                   allreduce, allgather, reduce_scatter, alltoall)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParallelRun, form, settings, reports)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepError, outputs, gradients, worst, elements)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PieceExtent, tensor, offset, stride, rows, cols)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankStepReport, rank, error, pieces)

namespace {

std::filesystem::path report_file(const std::filesystem::path& folder, Rank rank) {
  return folder / fmt::format("rank{}.json", rank);
}

/// Replaces infinity, which JSON does not have.
StepError finite(StepError error) {
  for (double* one : {&error.outputs, &error.gradients})
    *one = std::min(*one, std::numeric_limits<double>::max());
  return error;
}

template <class T>
void step_and_report(RankContext& rank, const ParallelRun& run) {
  Communicator comm(rank);
  const FormFunctions<T>& form = run.row().functions<T>();
  const StepResult<T> mine = form.step(comm, run.settings);
  if (run.reports.empty()) return;
  const RankStepReport report{comm.rank(), finite(compare_step(mine, form.reference(run.settings))),
                              extents_of(mine)};
  write_whole(report_file(run.reports, comm.rank()), dump_json(nlohmann::json(report)) + "\n");
}

template <class T>
std::vector<PieceExtent> reference_extents(const ParallelRun& run) {
  return extents_of(run.row().functions<T>().reference(run.settings));
}

}  // namespace

void ParallelRun::validate(int ranks) const {
  settings.validate();
  row().check(settings, ranks);
}

std::string to_json(const ParallelRun& run) { return dump_json(nlohmann::json(run)); }

ParallelRun parallel_run_from_json(std::string_view text) try {
  return parse_json(text).get<ParallelRun>();
} catch (const nlohmann::json::exception& e) {
  throw UserError(fmt::format("these are no settings of a parallel step: {}", e.what()));
}

JobSpec job_of(const ParallelRun& run, int world_size) {
  run.validate(world_size);
  JobSpec spec;
  spec.call.algorithm = "transformer";
  spec.call.platform = kTrainingPlatform;
  spec.call.program = to_json(run);
  spec.world.size = world_size;
  return spec;
}

void run_parallel_step(RankContext& rank, std::string_view settings) {
  const ParallelRun run = parallel_run_from_json(settings);
  run.validate(rank.world_size());
  if (run.settings.float64) step_and_report<double>(rank, run);
  else step_and_report<float>(rank, run);
}

RankStepReport read_step_report(const std::filesystem::path& folder, Rank rank) try {
  return parse_json(read_or_nothing(report_file(folder, rank))).get<RankStepReport>();
} catch (const nlohmann::json::exception& e) {
  throw UserError(fmt::format("rank {} has left no report of its step: {}", rank, e.what()));
}

double StepReport::largest_error() const noexcept {
  double largest = 0;
  for (const RankStepReport& one : ranks)
    largest = std::max({largest, one.error.outputs, one.error.gradients});
  return largest;
}

double StepReport::tolerance(const ParallelSettings& settings) noexcept {
  return settings.float64 ? 1e-10 : 1e-4;
}

bool StepReport::bytes_agree() const noexcept {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (counts[i].busiest() != lines[i].bytes) return false;
  return counts.back().busiest() == 0;
}

bool StepReport::ok(const ParallelSettings& settings) const noexcept {
  return missing == 0 && bytes_agree() && largest_error() <= tolerance(settings);
}

StepReport report_of(const ParallelRun& run, const Trace& trace) {
  StepReport out;
  out.lines = run.row().lines(run.settings, trace.world_size());
  out.counts = count_lines(trace, out.lines);
  std::vector<PieceExtent> pieces;
  for (Rank rank = 0; rank < trace.world_size(); ++rank) {
    out.ranks.push_back(read_step_report(run.reports, rank));
    ranges::copy(out.ranks.back().pieces, std::back_inserter(pieces));
  }
  out.missing = missing_elements(
      run.settings.float64 ? reference_extents<double>(run) : reference_extents<float>(run),
      pieces);
  return out;
}

}  // namespace rankscope::training
