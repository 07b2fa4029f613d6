// Input on the picture of a held run: clicks on offered messages and on ranks, and the row that asks who can move.
#pragma once

#include <string>

#include "gui/views/base/view.h"

namespace rankscope::gui {

/// A click on a group of the scene that is an order to the held run, or an answer; false: it selects.
bool pick_live(ViewContext& context, const std::string& group);
/// In a pane's head while a run is held.
void ask_button(ViewContext& context);
/// Below the picture while the question is open; 0: it is not.
float ask_height(const ViewContext& context, float width);
void draw_ask(ViewContext& context, float width);

}  // namespace rankscope::gui
