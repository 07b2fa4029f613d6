// What a run came to, for people and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "engine/run/job/job.h"

namespace rankscope::cli {

struct RunReport {
  const JobSpec& spec;
  const JobResult& result;
  std::string trace_file;         ///< Empty: none was written.
  std::uint64_t trace_bytes = 0;  ///< Its size.
};

/// What closed forms depend on.
ClosedFormInput closed_form_input(const JobSpec& spec);

ExitCode exit_code_of(JobResult::Status status) noexcept;

/// One line: "allreduce.ring: 4 ranks over ipc, 16 float32 (64 B) each, SUM".
std::string title_of(const JobSpec& spec);

/// The table of ranks and the figures.
std::string report_text(const RunReport& report, const Style& style);
/// What went wrong: which rank, what happened, where it stood, what to try. Empty when nothing did.
std::string failure_text(const RunReport& report, const Style& style);
nlohmann::json report_json(const RunReport& report);

/// Algorithm bandwidth (size / time) and bus bandwidth as nccl-tests define them.
struct Bandwidth {
  double algorithm = 0, bus = 0;  ///< Bytes a second; 0 where they mean nothing.
};
Bandwidth bandwidth_of(const JobSpec& spec, double seconds);

}  // namespace rankscope::cli
