// Marks for pictures of a held run, the ranks that can move, and the phases of the program at the cursor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/diagrams/run/live_marks.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Returns no marks unless the ranks are held and the cursor is at the end.
LiveMarks live_marks(const AppState& state);
/// Returns a text that differs for marks that look different.
std::string text_of(const LiveMarks& marks);
/// Returns the ranks whose next verb can be carried out now, a send or a receive whose message is there. Ascending.
std::vector<Rank> movable_ranks(const AppState& state);

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
