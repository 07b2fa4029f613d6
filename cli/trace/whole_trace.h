// Reads traces for commands that need all of their events at once.
#pragma once

#include <string>

#include "engine/core/trace/trace.h"

namespace rankscope::cli {

/// Throws as TraceReader::open does, and UserError for a file of more than most_events_held(), before its events are
/// read. `needs`: what needs them all, as "`rankscope check`".
Trace read_whole_trace(const std::string& file, const std::string& needs);

}  // namespace rankscope::cli
