// A schedule beside all algorithms of its collective, on the network of the closed forms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/model/costs/cost.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

struct ComparedSchedule {
  std::string name;
  bool own = false;
  std::int64_t rounds = 0;
  std::uint64_t busiest = 0;  ///< Bytes that the busiest rank sends.
  double seconds = 0;
};

/// The fastest first. `in`: what one rank passes in. Throws UserError as schedule_costs() does.
std::vector<ComparedSchedule> compare_with_algorithms(const TaskGraph& tasks,
                                                      const ClosedFormInput& in,
                                                      const LinkCosts& link);

}  // namespace rankscope
