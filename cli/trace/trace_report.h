// Reports on traces for people and for scripts, and opening a trace with warnings.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/console.h"
#include "engine/analysis/narration/narration.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope::cli {

struct TraceFileInfo {
  std::string path;
  std::uint64_t bytes = 0;
};

std::string trace_info_text(const Trace& trace, const TraceFileInfo& file, const Style& style);
std::string trace_info_json(const Trace& trace, const TraceFileInfo& file);

/// Reports the statistics of `trace`; if it is held in parts, their rounds are not known.
std::string trace_statistics_text(const Trace& trace, const Statistics& found, const Style& style);
std::string trace_statistics_json(const Trace& trace, const Statistics& found);

/// Return the sentences on a run's start, steps and end: `limit` of them from number `from` on.
std::string trace_narration_text(const Trace& trace, const Narration& narration, int from,
                                 int limit, const Style& style, int width);
std::string trace_narration_json(const Trace& trace, const Narration& narration, int from,
                                 int limit);

/// Returns whether events are missing because the file was cut or is damaged. A missing end mark alone, as a killed or
/// still recording recorder leaves it, does not count.
bool lost_something(const TraceIssues& issues) noexcept;
/// Warns on stderr, also with --quiet; with --json only where the exit code needs a reason.
void warn_of_issues(const Console& console, const std::string& file, const TraceIssues& issues);

/// Reads a whole trace. Throws as TraceReader::open does, and UserError for a file of more than most_events_held(),
/// before its events are read; `needs` names what needs them all: "`rankscope check`".
Trace read_whole_trace(const std::string& file, const std::string& needs);
/// Reads a whole trace, and warns of what is missing in the file.
Trace open_trace(const Console& console, const std::string& file, const std::string& needs);

/// Returns a line of `rankscope trace print` with its line break, for event k, which is number k + `before` of the run.
std::string trace_event_line(const Trace& trace, std::uint64_t k, std::uint64_t before = 0);

struct DiffReport {
  bool equal = true;
  std::string text, json;
};
DiffReport trace_diff(const Trace& left, const Trace& right, const std::string& left_name,
                      const std::string& right_name);

}  // namespace rankscope::cli
