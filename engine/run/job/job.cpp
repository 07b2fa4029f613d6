// Validates a job's specification: memory, numbers, shapes and schedule; collects the facts about it for a trace.
#include "engine/run/job/job.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/changed_topology.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/job_fields.h"

namespace rankscope {
namespace {

// Input, output and one scratch buffer of every rank must fit into the machine's memory.
void check_memory(const JobSpec& spec, const Algorithm& algorithm) {
  if (spec.network.ghost) return;
  const long double memory = static_cast<long double>(::sysconf(_SC_PHYS_PAGES)) *
                             static_cast<long double>(::sysconf(_SC_PAGESIZE));
  // One input is checked first, because counts computed from a larger one could overflow.
  long double input = static_cast<long double>(dtype_size(spec.call.dtype));
  for (const Count extent : spec.call.shape) input *= static_cast<long double>(extent);
  if (input > memory)
    throw UserError(fmt::format(
        "an input of {} {} elements does not fit into this machine's memory: use a smaller count",
        fmt::join(spec.call.shape, "x"), to_string(spec.call.dtype)));
  const Extents extents =
      extents_of(algorithm.collective, spec.input_shape(), spec.world.size, spec.call.root,
                 spec.call.root, spec.call.scatter_dim, spec.call.gather_dim);
  const long double per_rank =
      static_cast<long double>(extents.in.count() + 2 * extents.out.count()) *
      static_cast<long double>(dtype_size(spec.call.dtype));
  const long double all = per_rank * spec.world.size;
  if (all > memory)
    throw UserError(fmt::format(
        "{} {} elements on {} ranks need about {:.1f} GiB of memory, this machine has {:.1f} GiB: "
        "use a smaller count or fewer ranks",
        spec.input_shape().count(), to_string(spec.call.dtype), spec.world.size,
        static_cast<double>(all / (1LL << 30)), static_cast<double>(memory / (1LL << 30))));
}

void check_schedule_of(const JobSpec& spec, const Algorithm& algorithm) {
  const bool wanted = runs_schedule(algorithm);
  if (wanted && spec.call.schedule.empty())
    throw UserError(fmt::format("{} runs a table of steps: give a schedule", algorithm.name));
  if (!wanted && !spec.call.schedule.empty())
    throw UserError(
        fmt::format("{} runs no schedule: choose allreduce.schedule or another "
                    "algorithm that ends in .schedule",
                    algorithm.name));
  if (wanted) check_schedule(parse_schedule(spec.call.schedule), spec.world.size);
}

}  // namespace

void validate(const JobSpec& spec) {
  if (spec.is_program()) return check_fields(spec);
  if (is_auto(spec.call.algorithm)) return validate(resolve_auto(spec));
  const Algorithm& chosen = require_algorithm(spec.call.algorithm);
  require_transport(spec.transport.name);
  check_fields(spec);
  check_reduce(spec.call.dtype, spec.call.op);
  const Shape in_shape = spec.input_shape();
  if (in_shape.dims() < 1) throw UserError("a shape needs at least one extent");
  for (const int dim : {spec.call.scatter_dim, spec.call.gather_dim})
    if (dim < 0 || dim >= in_shape.dims())
      throw UserError(fmt::format("dimension {} does not exist in the shape {} (0 to {})", dim,
                                  in_shape.to_string(), in_shape.dims() - 1));
  check_memory(spec, chosen);
  check_values(spec, chosen.collective);
  check_schedule_of(spec, chosen);
}

RankFailure timeout_failure(Rank rank, bool ended, std::string where) {
  return {rank, ended ? "had ended" : "did not end in time", std::move(where), 0,
          ended ? RankLoss::ended : RankLoss::unknown};
}

std::optional<Collective> collective_of(const JobSpec& spec) {
  if (spec.is_program()) return std::nullopt;
  for (const auto table : {algorithms(), schedule_algorithms()})
    for (const Algorithm& algorithm : table)
      if (algorithm.name == spec.call.algorithm) return algorithm.collective;
  return std::nullopt;
}

void add_network(TraceMeta& meta, const JobSpec& spec) {
  // The topology's text, because its file may change, or be missing where the trace is opened.
  const bool has_topology = spec.is_simulated() && !spec.network.topology.empty();
  meta.network = has_topology ? to_toml(topology_of(spec)) : "";
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
