// What all ranks do in a call, recorded from a run of it in virtual time.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/machine_costs.h"

namespace rankscope::cli {

/// As the profiler times it: a barrier, then the call. Runs on zeros.
RunPlan recorded_plan(const Algorithm& algorithm, const ClosedFormInput& in);

}  // namespace rankscope::cli
