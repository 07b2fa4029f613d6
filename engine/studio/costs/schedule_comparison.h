// Compares a schedule with the algorithms of its collective, on the network of the closed forms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/cost.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// The figures of a schedule or of an algorithm.
struct ComparedSchedule {
  std::string name;
  bool own = false;           ///< It is the schedule, not an algorithm.
  std::int64_t rounds = 0;    ///< As engine/analysis/events/rounds.h counts them.
  std::uint64_t busiest = 0;  ///< Bytes that the busiest rank sends.
  double seconds = 0;
};

/// Returns the schedule and all algorithms with a closed form, the fastest first. `in` is what one rank passes in, by
/// elements. Throws UserError for tasks that wait for each other.
std::vector<ComparedSchedule> compare_with_algorithms(const TaskGraph& tasks,
                                                      const ClosedFormInput& in,
                                                      const LinkCosts& link);

}  // namespace rankscope
