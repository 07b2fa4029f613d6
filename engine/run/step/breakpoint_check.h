// Whether a breakpoint can be hit at all.
#pragma once

#include <string>

#include "engine/run/step/step_gate.h"

namespace rankscope {

/// Tells the user what is wrong with the breakpoint's place or rank; empty when it may be hit. Files
/// are compared with the sources that this binary holds; headers, which it does not hold, pass.
std::string breakpoint_problem(const Breakpoint& at, int world_size);
/// The source that a file's name of a breakpoint means, from the repository's root; the name itself
/// where that is none or several.
std::string breakpoint_file(const std::string& file);

}  // namespace rankscope
