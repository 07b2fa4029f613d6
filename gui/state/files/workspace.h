// A workspace: a script that brings back a trace with its views and marks.
#pragma once

#include <string>
#include <vector>

#include "gui/state/app/app_state.h"

namespace rankscope::gui {

/// It can be read, changed and given away. `trace`: its file; `meant`: the words of the command `meant`.
std::string workspace_text(const AppState& state, const std::string& trace,
                           const std::vector<std::string>& meant);

}  // namespace rankscope::gui
