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
/// 0: no question is answered here.
float answer_row_height(const ViewContext& context, float width, AnswerPlace place);
/// From the cursor on.
void draw_answer_row(ViewContext& context, float width, AnswerPlace place);

}  // namespace rankscope::gui
