// What a schedule costs on the network of the closed forms, to be compared with algorithms.
#pragma once

#include <cstdint>

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/cost.h"
#include "engine/model/costs/message_times.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

struct ScheduleCosts {
  int rounds = 0;                   ///< As engine/analysis/rounds.h counts them.
  std::int64_t messages = 0;        ///< Of all ranks.
  std::uint64_t busiest_bytes = 0;  ///< Sent by the rank that sends most.
  CostTerm path;                    ///< The critical path.
  double seconds = 0;
};

/// `in`: what one rank passes in, by elements. Each rank does its tasks one after the other, in the order in which they
/// can be done at the earliest. Throws UserError for tasks that wait for each other.
ScheduleCosts schedule_costs(const TaskGraph& graph, const ClosedFormInput& in,
                             const LinkCosts& link);

}  // namespace rankscope
