// Figures of a part of a run: of its first rounds, or of one chunk.
#pragma once

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

struct StatisticsPart {
  int rounds = -1;  ///< The first so many, and what each rank does to the end of them; -1: all.
  int chunk = -1;  ///< Messages that carry it, and of their bytes its own; -1: all of each message.
};

/// Steps, messages, bytes, time blocked and time reducing of each rank, and the totals, as statistics() counts
/// them; nothing else. Times are those of all chunks. Not for large runs, whose rounds nobody keeps.
Statistics part_statistics(const TraceAnalysis& run, const StatisticsPart& part);

}  // namespace rankscope
