// Compares what ranks hold in the end with what the collective promises, and finds the shortest counter-example.
#pragma once

#include "engine/studio/proof/proof.h"
#include "engine/studio/tasks/task_order.h"

namespace rankscope {

/// Adds at most one fault, and counts the wrong places. Throws as prove() does.
void find_contribution_faults(const TaskGraph& graph, const TaskMatches& matches,
                              const TaskOrder& order, ScheduleProof& out);

}  // namespace rankscope
