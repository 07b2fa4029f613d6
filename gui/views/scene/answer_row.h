// Below a picture that is answered in: what to do, the step that is drawn, and where a wrong prediction parts from the
// run.
#pragma once

#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Where the row is.
enum class AnswerPlace : std::uint8_t {
  picture,
  small,  ///< A picture that is too small to be tapped at.
  code,   ///< A program's text.
};
/// Returns 0 if no question is answered here.
float answer_row_height(const ViewContext& context, float width, AnswerPlace place);
/// Draws the row at ImGui's cursor.
void draw_answer_row(ViewContext& context, float width, AnswerPlace place);

}  // namespace rankscope::gui
