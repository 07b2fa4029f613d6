// Asks the rows of commands and views whether they would show the rest of a run before its question is answered.
#include "gui/state/model/closed_rest.h"

#include "engine/core/base/ranges.h"
#include "gui/state/command/command.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

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
