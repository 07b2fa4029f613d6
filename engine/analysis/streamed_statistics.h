// Statistics of a run that is not held in memory, from one pass over its events.
#pragma once

#include "engine/analysis/statistics.h"
#include "engine/core/trace/streamed_trace.h"

namespace rankscope {

struct StreamedStatistics {
  Statistics statistics;  ///< Rounds and steps are 0: they need all messages at once.
  Trace names;            ///< The run without its events: its facts, definitions and damage.
};

/// Memory grows with ranks and phases, not with events. Throws UserError when `progress` stops it.
StreamedStatistics streamed_statistics(const StreamedTrace& run,
                                       const StreamedTrace::Progress& progress = {});

}  // namespace rankscope
