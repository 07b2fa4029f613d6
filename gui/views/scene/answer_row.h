// The rows below a picture: of an answer that is given in it, with what to do and where a wrong prediction parts from the
// run; and of the question which ranks of a held run can move.
#pragma once

#include <string>

#include "gui/views/base/view.h"

namespace rankscope::gui {

enum class AnswerPlace : std::uint8_t {
  picture,
  small,  ///< A picture that is too small to be tapped at.
  code,   ///< A program's text.
};
/// Returns 0 if no question is answered here.
float answer_row_height(const ViewContext& context, float width, AnswerPlace place);
/// Draws the row at ImGui's cursor.
void draw_answer_row(ViewContext& context, float width, AnswerPlace place);

/// Handles a click on a group that commands the held run or gives an answer; returns false if the click selects.
bool pick_live(ViewContext& context, const std::string& group);
/// Draws the button in a pane's head while a run is held.
void ask_button(ViewContext& context);
/// Returns the height of the open question who can move; 0 if none is open.
float ask_height(const ViewContext& context, float width);
void draw_ask(ViewContext& context, float width);

}  // namespace rankscope::gui
