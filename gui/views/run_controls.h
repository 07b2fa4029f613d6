// How the run is, and the buttons that start, hold and release it: the right end of the sentence's bar.
#pragma once

#include "gui/views/view.h"

namespace rankscope::gui {

/// From the bar's right edge to the left; without buttons where nothing can be run. Returns where the room for the
/// sentence ends, in pixels from the bar's left edge.
float draw_run_controls(ViewContext& context, bool runs);

}  // namespace rankscope::gui
