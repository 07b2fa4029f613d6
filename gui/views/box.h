// A box in the middle of the window, over everything else.
#pragma once

#include "gui/views/view.h"

namespace rankscope::gui {

/// With what lies behind it dimmed and out of the pointer's reach, so that nothing there tells of itself over the box.
/// `height` 0: as high as its content. False: somebody clicked beside it.
bool begin_box(const ViewContext& context, const char* id, double width, double height);
void end_box();
void box_heading(const Look& look, const char* text);
/// After a field that was to get the keyboard: keys are kept for it until it has. True: it has.
bool has_keyboard(const ViewContext& context);

}  // namespace rankscope::gui
