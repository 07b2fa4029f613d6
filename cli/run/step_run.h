// A run whose ranks are held at the step gates, driven from standard input.
#pragma once

#include <functional>

#include "cli/terminal/console.h"
#include "engine/run/job/job.h"
#include "engine/run/step/step_controller.h"

namespace rankscope::cli {

/// Calls `run` (which conducts the job with `controller` as its step controller) on a thread of its
/// own and prompts until it is over. What `run` throws is thrown here.
void run_stepwise(const Console& console, StepController& controller,
                  const std::function<void()>& run);

}  // namespace rankscope::cli
