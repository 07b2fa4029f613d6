// How much a call does, on its critical path and on all ranks: counted on a run of it on threads.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/machine_costs.h"

namespace rankscope::cli {

/// Runs the algorithm on threads, on zeros. Throws UserError for one without a closed form.
RunWork run_work(const Algorithm& algorithm, const ClosedFormInput& in);

}  // namespace rankscope::cli
