// The marks on pictures of a held run: where each rank stands, the messages on offer, the answer to who can move.
#pragma once

#include <string>
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

}  // namespace rankscope::gui
