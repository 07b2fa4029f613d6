// What every profile on the command line shares: its progress line, and files for its records.
#pragma once

#include <string>

#include "cli/terminal/console.h"
#include "engine/run/profile/profiler.h"

namespace rankscope::cli {

/// Progress is shown on a terminal.
Profiler::Options profiler_options(const Console& console, int interrupt_fd);
void clear_progress(const Console& console);
/// Of records. Empty names: nowhere. Throws UserError for a file that cannot be written.
void write_records(const std::vector<ProfileRecord>& records, const std::string& csv,
                   const std::string& json);

}  // namespace rankscope::cli
