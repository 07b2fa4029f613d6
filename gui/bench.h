// Measures the cost of frames on real traces.
#pragma once

#include "gui/main_loop.h"

namespace rankscope::gui {

/// Prints what frames cost while the trace plays from its start to its end. Throws UserError when there
/// is none. Returns the exit code.
int bench(MainLoop& loop, int frames);
/// Prints what they cost while a made-up run delivers a million events a second for so long. 1 when an
/// event was lost.
int bench_live(MainLoop& loop, double seconds);

}  // namespace rankscope::gui
