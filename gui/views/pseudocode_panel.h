// The algorithm of a run as pseudocode, with the lines that the step at the cursor is.
#pragma once

#include "gui/views/view.h"

namespace rankscope::gui {

bool has_pseudocode(const AppState& state);
void draw_pseudocode(ViewContext& context);

}  // namespace rankscope::gui
