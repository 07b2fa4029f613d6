// A run that leaves a trace file.
#pragma once

#include <string>

#include "engine/run/process_runner.h"

namespace rankscope::cli {

struct RecordedRun {
  JobResult result;
  std::string file;              ///< Empty: no trace was asked for.
  std::uint64_t file_bytes = 0;  ///< Its size.
};

/// "allreduce.ring-n8.rankscope"
std::string default_trace_file(const JobSpec& spec);

/// Runs a job and records it into `file`; into nothing when `file` is empty or the job's trace is
/// off. Throws UserError when the file cannot be written.
RecordedRun run_recorded(Runner& runner, const JobSpec& spec, const std::string& file);

}  // namespace rankscope::cli
