// `rankscope schedule compare`: a schedule beside all algorithms of its collective.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/schedule_actions.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/model/costs/cost_table.h"
#include "engine/studio/proof/proof.h"
#include "engine/studio/tasks/schedule_costs.h"

namespace rankscope::cli {
namespace {

struct Compared {
  std::string name;
  bool own = false;
  std::int64_t rounds = 0;
  std::uint64_t busiest = 0;
  double seconds = 0;
};

std::vector<Compared> compared(const ScheduleFile& file, const TaskGraph& tasks,
                               const CostSetting& setting) {
  const ScheduleCosts own = schedule_costs(tasks, setting.in, setting.link);
  std::vector<Compared> out{{file.tasks.name, true, own.rounds, own.busiest_bytes, own.seconds}};
  for (const Algorithm& one : algorithms()) {
    if (one.collective != *tasks.collective || find_cost_row(one) == nullptr ||
        one.rounds == nullptr)
      continue;
    out.push_back({std::string(one.name), false, one.rounds(setting.in),
                   one.busiest_bytes(setting.in),
                   time(cost_of(one, setting.in, setting.link), setting.link)});
  }
  std::ranges::stable_sort(out, {}, &Compared::seconds);
  return out;
}

}  // namespace

int compare_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  if (!file.tasks.collective)
    throw UserError(fmt::format("{} does not say its collective: give --collective",
                                escaped(options.files.front())));
  const TaskGraph tasks =
      file.table ? posted_tasks(*file.table, file.use(), Posting::nonblocking) : file.tasks;
  const ScheduleProof proof = prove(tasks, false);
  CostSetting setting = options.costs.setting();
  setting.in.n = tasks.ranks();
  setting.in.root = tasks.root;
  const auto all = compared(file, tasks, setting);
  const double bound = bound_times(*tasks.collective, setting).largest();
  if (console.json()) {
    auto rows = nlohmann::json::array();
    for (const auto& one : all)
      rows.push_back({{"name", one.name},
                      {"own", one.own},
                      {"rounds", one.rounds},
                      {"busiest_bytes", one.busiest},
                      {"time_s", one.seconds}});
    console.print_raw(json_text({{"rows", rows},
                                 {"lower_bound_s", bound},
                                 {"right", proof.right()},
                                 {"ranks", tasks.ranks()}}));
    return proof.right() ? kOk : kFailed;
  }
  Table table({{"schedule or algorithm", kLeft},
               {"rounds"},
               {"busiest rank sends"},
               {"time"},
               {"bound / time"}});
  for (const auto& one : all) {
    const std::string name = one.own ? console.out().bold(escaped(one.name)) : one.name;
    table.add_row({name, fmt::format("{}", one.rounds), format_bytes(one.busiest),
                   format_seconds(one.seconds),
                   fmt::format("{:.1f} %", one.seconds > 0 ? 100 * bound / one.seconds : 100.0)});
  }
  console.print(fmt::format("{}: {}\n\n{}", to_string(*tasks.collective), setting_text(setting),
                            table.to_string(console.out())));
  if (!proof.right()) console.note(fmt::format("But it is wrong: {}.", proof.faults.front().words));
  return proof.right() ? kOk : kFailed;
}

}  // namespace rankscope::cli
