// Asks the closed forms of all algorithms of a collective.
#include "engine/studio/tasks/schedule_comparison.h"

#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_table.h"
#include "engine/studio/tasks/schedule_costs.h"

namespace rankscope {

std::vector<ComparedSchedule> compare_with_algorithms(const TaskGraph& tasks,
                                                      const ClosedFormInput& in,
                                                      const LinkCosts& link) {
  const ScheduleCosts own = schedule_costs(tasks, in, link);
  std::vector<ComparedSchedule> out{{tasks.name, true, own.rounds, own.busiest_bytes, own.seconds}};
  for (const Algorithm& one : algorithms()) {
    if (one.collective != *tasks.collective || find_cost_row(one) == nullptr ||
        one.rounds == nullptr)
      continue;
    out.push_back({std::string(one.name), false, one.rounds(in), one.busiest_bytes(in),
                   time(cost_of(one, in, link), link)});
  }
  ranges::stable_sort(out, {}, &ComparedSchedule::seconds);
  return out;
}

}  // namespace rankscope
