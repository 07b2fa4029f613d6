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

}  // namespace rankscope::gui
