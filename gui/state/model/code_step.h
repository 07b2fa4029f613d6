// In which phases of their program the ranks are at the cursor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct CodeStep {
  int step = 0, steps = 0;          ///< Rounds; 0 before the first.
  std::vector<std::string> phases;  ///< As phase_path(), each once; "" of what is in none.
  std::vector<std::pair<Rank, std::string>> places;  ///< Of all ranks, each once.
};
/// The step that goes on at the cursor, or has just ended: CodeStep::step. Of a held run it says nothing of where the
/// ranks stand.
int code_step_number(const AppState& state);
/// Returns the step at the cursor (the one that goes on, or has just ended), or of a held run where its ranks stand; the
/// selected rank's part alone, if it has one.
CodeStep code_step(const AppState& state);

}  // namespace rankscope::gui
