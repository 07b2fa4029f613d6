// What statistics of a trace and of a streamed run add up in the same way.
#pragma once

#include "engine/analysis/statistics.h"

namespace rankscope {

/// Adds a local event's time and bytes.
void count_work(RankStatistics& rank, const StepEvent& event, std::int64_t spent_ns);
/// Numbers the ranks, and finds the busiest of them.
void find_busiest(Statistics& statistics);

}  // namespace rankscope
