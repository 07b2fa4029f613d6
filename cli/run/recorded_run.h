// A run recorded into a trace file.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "engine/core/trace/trace_file.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::cli {

struct RecordedRun {
  JobResult result;
  std::string file;              ///< The trace's file; "" if none was written.
  std::uint64_t file_bytes = 0;  ///< Its size.
};

/// A trace file that replaces an older one only with its first event, so that a run that does not start leaves the old
/// trace. A killed recorder leaves what it flushed.
class TraceFile : public EventSink {
 public:
  /// Throws UserError, before anything is run, for a file that cannot be written.
  TraceFile(std::string file, TraceMeta meta);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  /// Removes the file if it is new and nothing was written to it.
  ~TraceFile() override;

  void deliver(EventBatch&& batch) override;
  void flush() override;
  bool used() const;
  /// Ends the trace, and returns the file's size.
  std::uint64_t close(TraceMeta meta);

 private:
  TraceWriter& writer();
  void begin();

  const std::string file_;
  const TraceMeta meta_;
  mutable std::mutex mutex_;  ///< Guards reserved_, writer_ and used_; the writer has its own.
  std::optional<ReservedTrace> reserved_;  ///< Until there is a writer.
  std::optional<TraceWriter> writer_;
  bool used_ = false;
  bool is_new_ = false;
};

/// Returns "allreduce.ring-n8.rankscope".
std::string default_trace_file(const JobSpec& spec);

/// Runs a job and records it into `file`, unless `file` is empty or the job's trace is off. `title` names the trace for
/// people instead of the algorithm. Throws UserError for a file that cannot be written.
RecordedRun run_recorded(Runner& runner, const JobSpec& spec, const std::string& file,
                         std::string_view title = {});

}  // namespace rankscope::cli
