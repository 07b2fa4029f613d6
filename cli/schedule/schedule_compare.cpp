// `rankscope schedule compare`: a schedule beside all algorithms of its collective.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/schedule_actions.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/studio/costs/schedule_comparison.h"
#include "engine/studio/proof/proof.h"

namespace rankscope::cli {

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
  const auto all = compare_with_algorithms(tasks, setting.in, setting.link);
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
