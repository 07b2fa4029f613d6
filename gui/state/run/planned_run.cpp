// Runs a job on threads, to know its messages before they are sent.
#include "gui/state/run/planned_run.h"

#include <algorithm>
#include <exception>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/trace_meta.h"
#include "engine/run/job/transports.h"

namespace rankscope::gui {
namespace {

constexpr double kMostBytes = 16e6, kMostSeconds = 1;
constexpr int kMostPlanned = 64;

bool can_be_planned(const JobSpec& spec) {
  const auto known = algorithms();
  const bool ours = ranges::find(known, spec.call.algorithm, &Algorithm::name) != known.end();
  if (!ours || spec.is_program() || spec.recording.iterations != 1 ||
      spec.world.size > kMostPlanned)
    return false;
  double bytes =
      static_cast<double>(dtype_size(spec.call.dtype)) * spec.world.size * spec.world.size;
  for (const Count extent : spec.call.shape) bytes *= static_cast<double>(extent);
  return bytes <= kMostBytes && spec.recording.trace != TraceLevel::off;
}

}  // namespace

bool is_watched(const JobSpec& spec, bool held) {
  if (spec.is_simulated()) return false;  // it ends at once
  return held || ranges::any_of(spec.world.delays_us, [](double delay) { return delay > 0; });
}

std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd) {
  if (!can_be_planned(spec)) return std::nullopt;
  JobSpec job = spec;
  job.transport.name = "inproc";
  job.world.delays_us.clear();
  job.data.check = false;
  job.recording.timeout_s = std::min(job.recording.timeout_s, kMostSeconds);
  try {
    RunnerOptions options;
    options.interrupt_fd = interrupt_fd;
    InprocRunner threads(std::move(options));
    auto meta = meta_of(job);
    TraceBuilder events(meta);
    const JobResult result = threads.run(job, events);
    if (!result.ok()) return std::nullopt;
    add_outcome(meta, threads, result);
    events.set_meta(std::move(meta));
    TraceAnalysis analysis(events.finish());
    if (analysis.large()) return std::nullopt;
    return analysis;
  } catch (const std::exception&) {  // there is no plan then
    return std::nullopt;
  }
}

}  // namespace rankscope::gui
