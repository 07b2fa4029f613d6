// The strip beneath the picture: the answer to "what if" with the changes as chips, likely changes, or a question to predict.
#pragma once

#include <string>

#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Returns the height of the answer; 0 while nothing is asked.
float what_if_height(const ViewContext& context, float width);
/// Draws the answer at `low`, in the window's coordinates. `step`: the sentence on the step at the cursor, in place of the chips; may
/// be empty.
void draw_what_if(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& step);
/// Offers likely changes of a finished run at the right edge, as many as leave `taken` pixels free.
void draw_likely_changes(ViewContext& context, ImVec2 low, ImVec2 size, float taken);

/// Draws a rounded button; returns whether it was pressed. `made`: filled, as a change that is made or a right choice is; `sign`:
/// pixels left free at the left.
bool chip(const Look& look, ImVec2 at, const std::string& text, bool made, const char* tip,
          float sign = 0);
float chip_width(const Look& look, const std::string& text);

/// Returns whether a question with choices, open or just answered, takes the place of the narration.
bool asks_prediction(const AppState& state);
/// `sentence`: the step's, in place of the question; may be empty.
void draw_prediction(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& sentence);

}  // namespace rankscope::gui
