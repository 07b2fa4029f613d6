// Decides when the first page is shown, and what the curtain refuses.
#include "gui/state/model/app_state.h"

#include <array>

#include "engine/core/base/ranges.h"
#include "gui/state/command/command.h"
#include "gui/state/command/view_infos.h"

namespace rankscope::gui {

namespace {

bool has_run(const AppState& s) {
  return s.has_trace() || s.live.running || s.result || !s.loading.empty() || !s.problems.empty() ||
         s.race.running || s.lecture.scenes.open() || s.program.open();
}

/// Returns whether the view has pictures of a run, and nothing else to show.
bool shows_runs(std::string_view view) {
  constexpr std::array<std::string_view, 8> kRunViews = {
      "stage", "spacetime", "buffers", "matrix", "table", "statistics", "schematic", "race"};
  return ranges::find(kRunViews, view) != kRunViews.end();
}

}  // namespace

bool AppState::stage_is_free() const {
  const Layout& layout = settings.layout;
  return lesson.lesson && !has_run(*this) && !presenting && layout.drawer && layout.right_open &&
         !layout.maximized && layout.at(Slot::side) == "lesson" &&
         shows_runs(layout.at(Slot::main)) && lesson.asked.question.empty() &&
         (lesson.in_view.empty() || lesson.staged == lesson.in_view);
}

bool AppState::first_page() const {
  if (show_welcome) return true;
  if (has_run(*this) || lesson.lesson) return false;
  const Layout& layout = settings.layout;
  const auto& main = layout.at(layout.maximized.value_or(Slot::main));
  return shows_runs(main) && !layout.shows("training") && !layout.shows("overlap") &&
         !layout.shows("network") && !layout.shows("schedule");
}

std::string closed_rest_problem(const AppState& state, const Command& command) {
  const CommandInfo* const info = find_command_info(command.name);
  // A command that takes something off the screen shows nothing of the rest.
  const bool takes_off = !command.words.empty() && command.words.back() == "off";
  if (!state.lesson.horizon || takes_off || info == nullptr || info->curtain == Curtain::keeps)
    return "";
  return "`" + command.name +
         "` would show the rest of the run: it opens with a right answer, or when the answer is "
         "shown";
}

bool is_closed_view(const AppState& state, std::string_view view) {
  const auto info = ranges::find(kViews, view, &ViewInfo::name);
  return state.lesson.horizon && info != kViews.end() && info->curtain == Curtain::opens;
}

}  // namespace rankscope::gui
