// The traces of programs that `rankscope exec` runs: their names, and the program's own lines in them.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cli/run/recorded_run.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {

/// "student-n4.rankscope", for the second run "student-n4-2.rankscope"; a test's run is named by the test.
std::string program_trace_name(const ProgramRun& run);

/// A trace file that also remembers which source files its events come from.
class ProgramTrace : public EventSink {
 public:
  /// Throws UserError when the file cannot be written.
  ProgramTrace(std::string file, const ProgramRun& run);
  void deliver(EventBatch&& batch) override;
  void flush() override { trace_.flush(); }
  /// Keeps the ranks' notes for the trace.
  void keep(std::optional<Handed> notes) { meta_.handed = std::move(notes); }
  /// Closes the file, with the sources in it. Returns its size.
  std::uint64_t close(const ProgramRun& run);
  const std::string& file() const noexcept { return file_; }

 private:
  const std::string file_;
  TraceMeta meta_;
  TraceFile trace_;
  std::mutex mutex_;
  std::set<std::string> sources_;
};

}  // namespace rankscope::cli
