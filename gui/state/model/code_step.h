// The phases of the program in which the ranks are at the cursor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct CodeStep {
  int step = 0, steps = 0;          ///< Rounds; 0 before the first.
  std::vector<std::string> phases;  ///< Their phase_path(), each once; "" outside of phases.
  std::vector<std::pair<Rank, std::string>> places;  ///< All ranks with their phases, each once.
};
/// Returns CodeStep::step, the current or last step at the cursor; of a held run it does not say where the ranks stand.
int code_step_number(const AppState& state);
/// Returns the step at the cursor with the phases of its messages, or of a held run those in which its ranks stand; `phases`
/// has only the selected rank's, if it has some.
CodeStep code_step(const AppState& state);

}  // namespace rankscope::gui
