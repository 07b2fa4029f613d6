// Names the commands and views that would show the rest of a run before its question is answered.
#include "gui/state/lesson/closed_rest.h"

#include <array>

#include "engine/core/base/ranges.h"
#include "gui/state/app/app_state.h"
#include "gui/state/app/command.h"

namespace rankscope::gui {
namespace {

// They write the run to a file or to the clipboard, list its events, compare it with another one, or make it again
// without its question.
constexpr std::array<std::string_view, 14> kWholeRun = {
    "save",  "workspace", "export",  "copy-picture", "copy-text", "filter",  "compare",
    "meant", "race",      "what-if", "what-if-run",  "rerun",     "network", "schedule"};
constexpr std::array<std::string_view, 6> kWholeViews = {"events", "problems",  "compare",
                                                         "race",   "schematic", "network"};

// What takes something off the screen is no look at the rest.
bool takes_off(const Command& command) {
  return !command.words.empty() && command.words.back() == "off";
}

}  // namespace

std::string closed_rest_problem(const AppState& state, const Command& command) {
  if (!state.lesson.horizon || takes_off(command)) return "";
  return ranges::find(kWholeRun, command.name) == kWholeRun.end()
             ? ""
             : "`" + command.name +
                   "` would show the rest of the run: it opens with a right answer, or when the "
                   "answer is shown";
}

bool is_closed_view(const AppState& state, std::string_view view) {
  return state.lesson.horizon && ranges::find(kWholeViews, view) != kWholeViews.end();
}

}  // namespace rankscope::gui
