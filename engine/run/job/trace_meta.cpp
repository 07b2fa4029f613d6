// Builds trace metadata from a job and its network, and adds the outcome to it.
#include "engine/run/job/trace_meta.h"

#include <ctime>

#include <fmt/chrono.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/collectives/schedule.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/changed_topology.h"

namespace rankscope {

std::optional<Collective> collective_of(const JobSpec& spec) {
  if (spec.is_program()) return std::nullopt;
  for (const auto table : {algorithms(), schedule_algorithms()})
    for (const Algorithm& algorithm : table)
      if (algorithm.name == spec.call.algorithm) return algorithm.collective;
  return std::nullopt;
}

void add_network(TraceMeta& meta, const JobSpec& spec) {
  // The text, because the file may change, or be missing where the trace is opened. The placement stays in the job.
  const bool is_on_one = spec.is_simulated() && !spec.network.topology.empty();
  meta.network = is_on_one ? to_toml(topology_of(spec)) : "";
  const Algorithm* const algorithm = find_algorithm(spec.call.algorithm);
  meta.in_network = !meta.network.empty() && algorithm != nullptr && algorithm->features.in_network;
}

TraceMeta meta_of(const JobSpec& spec) {
  TraceMeta meta;
  meta.job = spec;
  meta.program = "rankscope " RANKSCOPE_VERSION;
  meta.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  meta.algorithm = spec.call.algorithm;
  meta.collective = collective_of(spec);
  meta.world_size = spec.world.size;
  add_network(meta, spec);
  if (const auto* source = source_of_algorithm(spec.call.algorithm))
    meta.sources.emplace_back(source->file, source->text);
  return meta;
}

void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result) {
  meta.outcome = result;
  meta.lost_events = result.lost_events;
  meta.complete = true;
  runner.add_places(meta);
}

}  // namespace rankscope
