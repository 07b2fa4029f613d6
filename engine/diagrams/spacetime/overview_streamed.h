// The overview of a run that is not held in memory.
#pragma once

#include "engine/core/trace/streamed_trace.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope {

/// Of a window with few enough events these are read and counted; of a longer one the file's summary says
/// how many messages there were, and its sums are divided among the cells.
OverviewCounts count_window(const StreamedTrace& run, TimeWindow window);

/// As overview() of a trace and a window; in a short window with single messages.
Scene overview(const StreamedTrace& run, TimeWindow window, const SpacetimeOptions& options,
               const Ruler& ruler);

}  // namespace rankscope
