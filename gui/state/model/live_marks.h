// The marks on pictures of a held run: where each rank stands, the messages on offer, the answer to who can move.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/run/live_marks.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Nothing unless the ranks are held, and the cursor is where the run is.
LiveMarks live_marks(const AppState& state);
/// Two that are equal have the same text.
std::string text_of(const LiveMarks& marks);
/// The ranks whose next verb can be carried out now: a send, or a receive whose message is there. Ascending.
std::vector<Rank> movable_ranks(const AppState& state);

}  // namespace rankscope::gui
