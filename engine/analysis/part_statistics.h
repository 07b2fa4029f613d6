// Statistics of a part of a run: its first rounds, or one chunk.
#pragma once

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// The part of a run that counts.
struct StatisticsPart {
  int rounds = -1;  ///< The first rounds, and each rank's work up to their end; -1 for all.
  int chunk = -1;   ///< Messages that carry this chunk, with its bytes only; -1 for all messages.
};

/// Only steps, messages, bytes, time blocked and time reducing of each rank, and the totals, as statistics() counts them.
/// Times are those of all chunks. Not for large runs, whose rounds are not kept.
Statistics part_statistics(const TraceAnalysis& run, const StatisticsPart& part);

}  // namespace rankscope
