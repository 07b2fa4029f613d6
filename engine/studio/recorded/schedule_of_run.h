// The table of moves that a recorded run of an algorithm shows.
#pragma once

#include "engine/analysis/trace_analysis.h"
#include "engine/collectives/schedule.h"

namespace rankscope {

/// Rounds become steps. Errors name the `algorithm` and give the `advice`. Throws UserError where a message
/// cannot be written in whole chunks of `chunks`.
Schedule schedule_of_run(const TraceAnalysis& run, int chunks, std::string_view algorithm,
                         std::string_view advice);

/// The least number of equal chunks of which each message of the run has whole ones; a multiple of the ranks where
/// possible. Throws UserError for a run without messages between places of its data.
int chunks_of_run(const TraceAnalysis& run, std::string_view algorithm);

}  // namespace rankscope
