// Below the stage of a deadlock: the ways its program could have been written, and what each would have come to.
#pragma once

#include "gui/views/view.h"

namespace rankscope::gui {

/// 0: there is nothing to ask.
float what_if_height(const ViewContext& context, float width);
/// From the cursor on.
void draw_what_if(ViewContext& context, float width);

}  // namespace rankscope::gui
