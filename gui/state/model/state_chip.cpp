// Chooses the words of the state chip.
#include "gui/state/model/state_chip.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

constexpr const char* kSimulated = "simulated, virtual time";

/// Returns "lost rank 1", or nothing if no rank was lost.
std::string lost_words(const Document& document) {
  std::vector<Rank> lost;
  for (const Finding& found : document.findings())
    if (found.kind == Finding::Kind::lost_rank)
      lost.insert(lost.end(), found.ranks.begin(), found.ranks.end());
  if (lost.empty()) return {};
  return lost.size() == 1 ? fmt::format("lost rank {}", lost.front())
                          : fmt::format("{} lost ranks", lost.size());
}

StateChip chip_of(const Document& document, const std::vector<Problem>& problems) {
  using Kind = StateChip::Kind;
  const Trace& trace = document.trace();
  if (const auto lost = lost_words(document); !lost.empty()) return {lost, Kind::bad};
  if (!document.outcome().empty()) return {document.outcome(), Kind::bad};
  // The run of a program that is meant to be a collective may end well with a wrong result.
  if (ranges::find(document.findings(), Finding::Kind::wrong_result, &Finding::kind) !=
      document.findings().end())
    return {"wrong result", Kind::bad};
  const auto errors = ranges::count(problems, Problem::Severity::error, &Problem::severity);
  if (errors > 0) return {counted(static_cast<std::uint64_t>(errors), "problem"), Kind::bad};
  if (!trace.meta().outcome) return {"recorded", Kind::quiet};
  return {document.simulated() ? kSimulated : "ended well", Kind::good};
}

}  // namespace

StateChip state_chip(const AppState& state) {
  using Kind = StateChip::Kind;
  const ProgramState& program = state.program;
  if (program.running())
    return {program.seconds > 0 ? fmt::format("program running \u00B7 {} s", program.seconds)
                                : "program running",
            Kind::good};
  if (program.state == ProgramState::State::failed) return {"no run", Kind::bad};
  if (!state.loading.empty())
    return {fmt::format("reading {} …{}", std::filesystem::path(state.loading).filename().string(),
                        state.loaded_percent < 0 ? "" : fmt::format(" {} %", state.loaded_percent)),
            Kind::quiet};
  if (state.counted_percent >= 0)
    return {fmt::format("counting messages … {} %", state.counted_percent), Kind::quiet};
  if (state.race.running) return {"a race runs", Kind::good};
  if (state.live.running && state.settings.job.is_simulated())
    return {fmt::format("simulating · {} events", state.live.events), Kind::good};
  if (state.live.running)
    return {fmt::format("{} processes {} · {} events", state.settings.job.world.size,
                        state.live.stepping ? "held" : "running", state.live.events),
            state.live.stepping ? Kind::busy : Kind::good};
  if (state.has_trace() && state.lesson.keeps_end()) return {"held for your answer", Kind::quiet};
  if (state.what_if.ghost() && state.what_if.shown() != nullptr)
    return {"ghost run: " + state.what_if.shown()->outcome,
            state.what_if.shown()->ends ? Kind::good : Kind::bad};
  if (state.result && state.result->ok() && state.has_trace() && state.document->simulated())
    return {kSimulated, Kind::good};
  if (state.result)
    return state.result->ok()
               ? StateChip{state.result->ranks.size() == 1
                               ? std::string("right")
                               : fmt::format("right on all {} ranks", state.result->ranks.size()),
                           Kind::good}
               : StateChip{fmt::format("run ended: {}", to_string(state.result->status)),
                           Kind::bad};
  if (state.has_trace()) return chip_of(*state.document, state.problems);
  return {"no run yet", Kind::quiet};
}

}  // namespace rankscope::gui
