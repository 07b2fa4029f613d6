// `rankscope schedule synthesise`: finds a schedule for a topology.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/schedule_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/network/files/topology_file.h"
#include "engine/studio/proof/proof.h"
#include "engine/studio/synthesis/synthesise.h"

namespace rankscope::cli {
namespace {

LinkList links_asked(const ScheduleOptions& options) {
  const std::string& name = options.topology;
  if (name.empty())
    throw UserError(
        "synthesise needs --topology: ring:8, hypercube:16, full:4, star:8, torus:4x4, a "
        "topology's name or its file");
  std::error_code ignored;
  if (name.find(':') == std::string::npos || std::filesystem::exists(name, ignored))
    return links_of(open_topology(name), std::filesystem::path(name).filename().string());
  return named_links(name, parse_seconds(options.latency, "--latency"),
                     parse_bandwidth(options.costs.bandwidth, "--bandwidth"));
}

}  // namespace

int synthesise_schedule(const Console& console, const ScheduleOptions& options) {
  const LinkList links = links_asked(options);
  const auto collective = collective_asked(options);
  const SynthesisTask task{.collective = collective.value_or(Collective::allreduce),
                           .bytes = message_sizes(options).bytes,
                           .chunks_per_rank = options.chunks,
                           .seed = options.seed};
  const auto begin = std::chrono::steady_clock::now();
  const SynthesisResult found = synthesise(links, task);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const ScheduleUse use{
      fmt::format("{} on {}", to_string(task.collective),
                  printable(std::filesystem::path(links.name).filename().string())),
      task.collective, links.ranks, 0};
  const TaskGraph tasks = dataflow_tasks(found.schedule, use);
  if (!prove(tasks).right()) throw std::logic_error("a synthesised schedule is wrong");
  if (console.json()) {
    if (!options.output.empty()) write_schedule(tasks, options.output, message_sizes(options));
    console.print_raw(json_text({{"topology", links.name},
                                 {"collective", to_string(task.collective)},
                                 {"ranks", links.ranks},
                                 {"chunks", found.schedule.chunks},
                                 {"steps", found.steps},
                                 {"messages", found.schedule.moves.size()},
                                 {"time_s", found.seconds},
                                 {"lower_bound_s", found.bound},
                                 {"share_of_bound", found.bound / found.seconds},
                                 {"file", options.output}}));
    return kOk;
  }
  console.note(
      fmt::format("{} of {} a rank on {} ({}): {} in {} steps with {}, {:.1f} % of the bandwidth "
                  "bound of {}; found and proved in {}.",
                  to_string(task.collective), format_bytes(task.bytes), printable(links.name),
                  plural(links.ranks, "rank"), format_seconds(found.seconds), found.steps,
                  plural(found.schedule.chunks, "chunk"), 100 * found.bound / found.seconds,
                  format_seconds(found.bound), format_seconds(took.count())));
  return write_and_report(console, tasks, options.output.empty() ? "-" : options.output, options);
}

}  // namespace rankscope::cli
