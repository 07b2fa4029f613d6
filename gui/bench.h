// What frames cost, on real traces.
#pragma once

#include "gui/main_loop.h"

namespace rankscope::gui {

/// Prints what frames cost while the trace plays from its start to its end. Throws UserError when there
/// is none. Returns the exit code.
int bench(MainLoop& loop, int frames);

}  // namespace rankscope::gui
