// Measures frames on a trace and on a made-up live run.
#pragma once

#include "gui/main_loop.h"

namespace rankscope::gui {

/// Prints the times of frames, seeks, changes of size and each view. Throws UserError without a trace.
/// Returns the exit code.
int bench(MainLoop& loop, int frames);
/// Prints the times of frames while a made-up run delivers a million events per second. Returns the exit
/// code: 1 if an event was lost.
int bench_live(MainLoop& loop, double seconds);

}  // namespace rankscope::gui
