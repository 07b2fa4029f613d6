// Numbers of a run that is not held in memory, from one pass over its events.
#pragma once

#include "engine/analysis/statistics.h"
#include "engine/core/trace/streamed_trace.h"

namespace rankscope {

struct StreamedStatistics {
  Statistics statistics;  ///< Without rounds and steps, which need all messages at once: 0.
  Trace names;            ///< The run without its events: its facts, definitions and damage.
};

/// Takes memory by ranks and phases, not by events. Throws UserError when `progress` stops it.
StreamedStatistics streamed_statistics(const StreamedTrace& run,
                                       const StreamedTrace::Progress& progress = {});

}  // namespace rankscope
