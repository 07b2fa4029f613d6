// Circles beside a statement with the numbers of the ranks that are there.
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

}  // namespace rankscope::gui
