// What `rankscope trace` says about traces: texts for people and for scripts.
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

/// `trace`: of these statistics; of a run that is held in parts its names, and then no rounds are known.
std::string trace_statistics_text(const Trace& trace, const Statistics& found, const Style& style);
std::string trace_statistics_json(const Trace& trace, const Statistics& found);

/// Sentences of a run: its start, its steps and its end; `limit` of them from number `from` on.
std::string trace_narration_text(const Trace& trace, const Narration& narration, int from,
                                 int limit, const Style& style, int width);
std::string trace_narration_json(const Trace& trace, const Narration& narration, int from,
                                 int limit);

/// Events are known to be missing: the file was cut or is damaged. (Not when only its end mark is
/// missing, as a recorder leaves it that was killed or still records.)
bool lost_something(const TraceIssues& issues) noexcept;
/// On stderr, --quiet or not (with --json only where the exit code needs a reason).
void warn_of_issues(const Console& console, const std::string& file, const TraceIssues& issues);

/// Reads all of a trace. Throws as TraceReader::open does, and UserError for a file of more than most_events_held(), before
/// its events are read; `needs` is what needs them all, as "`rankscope check`".
Trace read_whole_trace(const std::string& file, const std::string& needs);
/// The same, and warns of what is missing in the file.
Trace open_trace(const Console& console, const std::string& file, const std::string& needs);

/// One line of `rankscope trace print`, with its line break; the event is number k + `before` of the run.
std::string trace_event_line(const Trace& trace, std::uint64_t k, std::uint64_t before = 0);

struct DiffReport {
  bool equal = true;
  std::string text, json;
};
DiffReport trace_diff(const Trace& left, const Trace& right, const std::string& left_name,
                      const std::string& right_name);

}  // namespace rankscope::cli
