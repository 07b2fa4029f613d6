// The answer to "what if" beneath the picture, in large letters: beside the run before, with the changes as chips.
#pragma once

#include <string>

#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Returns the height that it needs; 0 while nothing is asked.
float what_if_height(const ViewContext& context, float width);
/// Draws it at `low`, in the window's coordinates. `step`: the sentence on the step at the cursor, in place of the chips; may be empty.
void draw_what_if(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& step);
/// Offers likely changes of the run that is over, from the right edge to the left, where they leave `taken` pixels free.
void draw_likely_changes(ViewContext& context, ImVec2 low, ImVec2 size, float taken);

/// A rounded button: what is made or right is filled, what is offered has an outline. Returns whether it was pressed.
/// `sign`: room for one at the left.
bool chip(const Look& look, ImVec2 at, const std::string& text, bool made, const char* tip,
          float sign = 0);
float chip_width(const Look& look, const std::string& text);

/// Returns whether a question with choices stands in the place of the narration, or has just been answered.
bool asks_prediction(const AppState& state);
/// `sentence`: of the step that has answered it.
void draw_prediction(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& sentence);

}  // namespace rankscope::gui
