// A run that leaves a trace file.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "engine/core/trace/trace_file.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::cli {

struct RecordedRun {
  JobResult result;
  std::string file;              ///< Empty: no trace was asked for.
  std::uint64_t file_bytes = 0;  ///< Its size.
};

/// A trace file that replaces an older one only when there is something to replace it with: a run
/// that does not start leaves yesterday's trace. A killed recorder leaves what it flushed.
class TraceFile : public EventSink {
 public:
  /// Throws UserError when the file cannot be written, before anything is run.
  TraceFile(std::string file, TraceMeta meta);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  /// Removes a file that it made and that nothing was written to.
  ~TraceFile() override;

  void deliver(EventBatch&& batch) override;
  void flush() override;
  bool used() const;
  /// Returns the file's size.
  std::uint64_t close(TraceMeta meta);

 private:
  TraceWriter& writer();
  void begin();

  const std::string file_;
  const TraceMeta meta_;
  mutable std::mutex mutex_;               ///< Of the next two; the writer has its own.
  std::optional<ReservedTrace> reserved_;  ///< Until there is a writer.
  std::optional<TraceWriter> writer_;
  bool used_ = false;
  bool is_new_ = false;
};

/// "allreduce.ring-n8.rankscope"
std::string default_trace_file(const JobSpec& spec);

/// Runs a job and records it into `file`; into nothing when `file` is empty or the job's trace is
/// off. `title`: what the trace is called for people, instead of the algorithm. Throws UserError when the file cannot be
/// written.
RecordedRun run_recorded(Runner& runner, const JobSpec& spec, const std::string& file,
                         std::string_view title = {});

}  // namespace rankscope::cli
