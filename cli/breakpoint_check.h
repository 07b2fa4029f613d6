// Whether a breakpoint of `rankscope run --step` can be hit at all.
#pragma once

#include <string>

#include "engine/run/step_gate.h"

namespace rankscope::cli {

/// What is wrong with the breakpoint's place or rank, for the user; empty when it may be hit. Files
/// are compared with the sources that this binary holds; headers, which it does not hold, pass.
std::string breakpoint_problem(const Breakpoint& at, int world_size);

}  // namespace rankscope::cli
