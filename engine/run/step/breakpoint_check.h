// Checks breakpoints against the embedded sources, and completes their files' names.
#pragma once

#include <string>

#include "engine/run/step/step_gate.h"

namespace rankscope {

/// Returns what is wrong with the breakpoint's place or rank; empty if it may be hit. Files are compared with the
/// sources that this binary holds; headers, which it does not hold, pass.
std::string breakpoint_problem(const Breakpoint& at, int world_size);
/// Returns the source, from the repository's root, that a breakpoint's file name means; the name itself if no source or
/// several match.
std::string breakpoint_file(const std::string& file);

}  // namespace rankscope
