// Input on the picture of a held run: clicks on offered messages and on ranks, and the row that asks who can move.
#pragma once

#include <string>

#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Handles a click on a group that commands the held run or gives an answer; returns false if the click selects.
bool pick_live(ViewContext& context, const std::string& group);
/// Draws the button in a pane's head while a run is held.
void ask_button(ViewContext& context);
/// Returns the height of the open question below the picture; 0 if none is open.
float ask_height(const ViewContext& context, float width);
void draw_ask(ViewContext& context, float width);

}  // namespace rankscope::gui
