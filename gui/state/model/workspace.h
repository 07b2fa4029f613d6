// A workspace: a script that brings back a trace with its views and marks.
#pragma once

#include <string>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Returns the script. `trace`: the trace's file; `meant`: the words of the command `meant`.
std::string workspace_text(const AppState& state, const std::string& trace,
                           const std::vector<std::string>& meant);

/// Returns the words of `race` that repeat the race of these runs: "allreduce.ring allreduce.bde on 4 ranks with 16 float32 SUM";
/// empty without runs.
std::string race_words_of(const std::vector<DocumentPtr>& runs);

}  // namespace rankscope::gui
