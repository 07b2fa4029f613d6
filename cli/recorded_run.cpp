#include "cli/recorded_run.h"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/trace_file.h"

namespace rankscope::cli {
namespace {

class NoSink : public EventSink {
 public:
  void deliver(EventBatch&&) override {}
};

TraceMeta meta_of(const JobSpec& spec) {
  TraceMeta meta;
  meta.job_json = to_json(spec);
  meta.program = "rankscope " RANKSCOPE_VERSION;
  meta.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  meta.algorithm = spec.algorithm;
  meta.world_size = spec.world_size;
  std::string stem = spec.algorithm;
  std::replace(stem.begin(), stem.end(), '.', '_');
  if (const auto* source = find_embedded_source(stem))
    meta.sources.emplace_back(source->file, source->text);
  return meta;
}

/// What is known only when the ranks have run.
void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result) {
  meta.result_json = to_json(result);
  meta.lost_events = result.lost_events;
  meta.complete = true;
  if (const auto* processes = dynamic_cast<const ProcessRunner*>(&runner)) {
    meta.hosts = processes->hosts();
    meta.clock_offset_ns = processes->clock_offsets_ns();
  }
}

}  // namespace

std::string default_trace_file(const JobSpec& spec) {
  return fmt::format("{}-n{}.rankscope", spec.algorithm, spec.world_size);
}

RecordedRun run_recorded(Runner& runner, const JobSpec& spec, const std::string& file) {
  RecordedRun run;
  if (file.empty() || spec.trace == TraceLevel::off) {
    NoSink nowhere;
    run.result = runner.run(spec, nowhere);
    return run;
  }
  auto meta = meta_of(spec);
  TraceWriter writer(file, meta);
  run.result = runner.run(spec, writer);
  add_outcome(meta, runner, run.result);
  writer.close(meta);
  run.file = file;
  run.file_bytes = writer.bytes_written();
  return run;
}

}  // namespace rankscope::cli
