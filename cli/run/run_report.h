// The outcome of a run as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "engine/run/job/job.h"

namespace rankscope::cli {

struct RunReport {
  const JobSpec& spec;
  const JobResult& result;
  std::string trace_file;         ///< "" where none was written.
  std::uint64_t trace_bytes = 0;  ///< Its size.
};

ClosedFormInput closed_form_input(const JobSpec& spec);

ExitCode exit_code_of(JobResult::Status status) noexcept;

/// Returns "allreduce.ring: 4 ranks over ipc, 16 float32 (64 B) each, SUM".
std::string title_of(const JobSpec& spec);

/// Returns the table of ranks and the figures.
std::string report_text(const RunReport& report, const Style& style);
/// Returns what went wrong: which rank, what happened, where it stood, what to try; "" for a good run.
std::string failure_text(const RunReport& report, const Style& style);
nlohmann::json report_json(const RunReport& report);

}  // namespace rankscope::cli
