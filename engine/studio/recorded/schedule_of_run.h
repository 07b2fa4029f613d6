// The table of moves that a recorded run of an algorithm shows.
#pragma once

#include "engine/analysis/trace_analysis.h"
#include "engine/collectives/schedule.h"

namespace rankscope {

/// Rounds become steps. `algorithm`: what errors call it; `advice`: what they say to do. Throws UserError where a message
/// cannot be written in whole chunks of `chunks`.
Schedule schedule_of_run(const TraceAnalysis& run, int chunks, std::string_view algorithm,
                         std::string_view advice);

/// The least number of equal chunks, a multiple of the ranks where it can be, of which each message of the run has whole
/// ones. Throws UserError for a run without messages between places of its data.
int chunks_of_run(const TraceAnalysis& run, std::string_view algorithm);

}  // namespace rankscope
