// In which phases of their program the ranks are at the cursor.
#pragma once

#include <string>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct CodeStep {
  int step = 0, steps = 0;          ///< Rounds; 0: before the first.
  std::vector<std::string> phases;  ///< As phase_path(), each once; "" of what is in none.
};
/// The step that goes on at the cursor, or has just ended: CodeStep::step. Of a held run it says nothing of where the
/// ranks stand.
int code_step_number(const AppState& state);
/// Of the step that goes on at the cursor, or has just ended; of a held run where its ranks stand. Of the selected
/// rank alone, where one is selected that has a part in it.
CodeStep code_step(const AppState& state);

}  // namespace rankscope::gui
