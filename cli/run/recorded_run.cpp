// Runs a job with its trace file as the event sink.
#include "cli/run/recorded_run.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/run/job/job.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {

std::string default_trace_file(const JobSpec& spec) {
  return fmt::format("{}-n{}.rankscope", spec.call.algorithm, spec.world.size);
}

TraceFile::TraceFile(std::string file, TraceMeta meta)
    : file_(std::move(file)), meta_(std::move(meta)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file_, ignored);
  const bool keeps_something = std::filesystem::is_regular_file(status);
  is_new_ = !std::filesystem::exists(status);
  reserved_.emplace(file_);
  if (!keeps_something) begin();  // nothing can be lost
}

TraceFile::~TraceFile() {
  if (used_ || !is_new_) return;
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void TraceFile::begin() {
  writer_.emplace(file_, std::move(*reserved_), meta_);
  reserved_.reset();
}

TraceWriter& TraceFile::writer() {
  const std::lock_guard lock(mutex_);
  used_ = true;
  if (!writer_) begin();
  return *writer_;
}

void TraceFile::deliver(EventBatch&& batch) { writer().deliver(std::move(batch)); }

void TraceFile::flush() {
  if (used()) writer().flush();
}

bool TraceFile::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t TraceFile::close(TraceMeta meta) {
  writer().close(std::move(meta));
  return writer().bytes_written();
}

RecordedRun run_recorded(Runner& runner, const JobSpec& spec, const std::string& file,
                         std::string_view title) {
  RecordedRun run;
  if (require_transport(spec.transport.name).processes) need_descriptors_for(spec.world.size);
  if (file.empty() || spec.recording.trace == TraceLevel::off) {
    NoEvents nowhere;
    run.result = runner.run(spec, nowhere);
    return run;
  }
  auto meta = meta_of(spec);
  if (!title.empty()) meta.algorithm = title;
  TraceFile trace(file, meta);
  run.result = runner.run(spec, trace);
  // Keeps an older trace of this name if the ranks never ran.
  if (!run.result.ok() && run.result.ranks.empty() && !trace.used()) return run;
  add_outcome(meta, runner, run.result);
  run.file_bytes = trace.close(std::move(meta));
  run.file = file;
  return run;
}

}  // namespace rankscope::cli
