// What of a run belongs to a selection: the same in lists and tables as in pictures.
#pragma once

#include "engine/core/base/partition.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// The selected rank, or either end of the selected message.
bool is_chosen_rank(const AppState& state, Rank rank);
/// An event of the selected message or rank, or one that works on the selected chunk.
bool is_chosen_event(const AppState& state, std::uint64_t event);
/// Of a buffer of so many elements those in the selected chunk; without a chunk none.
Range chosen_elements(const AppState& state, Count elements);

}  // namespace rankscope::gui
