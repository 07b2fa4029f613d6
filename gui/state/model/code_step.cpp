// Finds the phases of the step at the cursor from its messages.
#include "gui/state/model/code_step.h"

#include <algorithm>

#include "engine/analysis/statistics.h"
#include "engine/core/base/ranges.h"
#include "gui/state/run/shown_step.h"

namespace rankscope::gui {
namespace {

template <class One>
void add(std::vector<One>& all, One one) {
  if (ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

int code_step_number(const AppState& state) {
  if (!state.has_trace() || state.document->large()) return 0;
  return shown_step(*state.document, state.playback.clock, state.playback.moment).going;
}

CodeStep code_step(const AppState& state) {
  CodeStep found;
  if (!state.has_trace() || state.document->large()) return found;
  const Document& document = *state.document;
  const auto& play = state.playback;
  found.steps = static_cast<int>(document.axis_end(ClockBase::rounds));
  found.step = code_step_number(state);
  const bool at_end = play.moment >= document.end(play.clock);
  const Rank chosen = state.selection.message >= 0 ? -1 : state.selection.rank;
  std::vector<std::string> of_rank;
  if (at_end && state.live.stepping) {
    for (const RankView& view : state.live.places) {
      if (view.state != RankView::State::held && view.state != RankView::State::blocked) continue;
      add(found.phases, view.phase);
      add(found.places, {view.rank, view.phase});
      if (view.rank == chosen) add(of_rank, view.phase);
    }
  } else {
    for (std::size_t i = 0; i < document.rounds().messages.size(); ++i) {
      const MessageRecord& message = document.rounds().messages[i];
      if (document.rounds().round[i] != found.step || found.step == 0 || message.sync) continue;
      for (const std::uint64_t event : {message.sent, message.received}) {
        if (event == kNoEvent) continue;
        const StepEvent& of = document.trace()[event];
        std::string phase = phase_path(document.trace(), of.phase);
        add(found.places, {of.rank, phase});
        if (of.rank == chosen) add(of_rank, phase);
        add(found.phases, std::move(phase));
      }
    }
  }
  if (!of_rank.empty()) found.phases = std::move(of_rank);
  return found;
}

}  // namespace rankscope::gui
