// Marks of lines of code: circles with the ranks that are there, and a line that is an answer.
#pragma once

#include <vector>

#include "engine/core/base/types.h"
#include "gui/views/look.h"

namespace rankscope::gui {

/// From one circle to the next; `narrow`: in a narrow pane they overlap.
float rank_mark_step(const Look& look, float high, bool narrow);
/// From the right edge of the window that is drawn in; of very many, how many. `low`: of the line, which is `high`.
void draw_rank_marks(const Look& look, ImDrawList& list, const std::vector<Rank>& ranks, ImVec2 low,
                     float high, bool narrow);
/// Of a line that may be clicked as an answer: `over` it is the mouse; `answers`: it was clicked; `begins`: this is the
/// first row of the line.
void draw_line_answer(const Look& look, ImVec2 low, ImVec2 to, bool over, bool answers,
                      bool begins);

}  // namespace rankscope::gui
