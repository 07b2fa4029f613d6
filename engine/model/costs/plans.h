// The messages of algorithms that cannot be recorded, from their descriptions.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/core/message/verb_schedule.h"

namespace rankscope::plans {

VerbSchedule allreduce_hierarchical(const ClosedFormInput& in);
VerbSchedule allreduce_two_level_ring(const ClosedFormInput& in);
VerbSchedule alltoall_hierarchical(const ClosedFormInput& in);

}  // namespace rankscope::plans
