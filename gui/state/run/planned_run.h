// The plan of a run: the same job run to its end on threads at once, so that a run that is stepped through has its place for
// everything to come.
#pragma once

#include <optional>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/job/job.h"

namespace rankscope::gui {

/// Returns whether a run is slow enough to be watched: its ranks are held or delayed.
bool is_watched(const JobSpec& spec, bool held);
/// Returns the plan; nothing for programs, faulty algorithms, more data than is quickly moved, and runs that failed.
/// `interrupt_fd` is readable when the plan is no longer needed.
std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd);

}  // namespace rankscope::gui
