// The plan of a call: the steps of all ranks, recorded from a run on zeros in virtual time.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/machine_costs.h"

namespace rankscope::cli {

/// Records a barrier and then the call, as the profiler times it.
RunPlan recorded_plan(const Algorithm& algorithm, const ClosedFormInput& in);

}  // namespace rankscope::cli
