// The plan of a run: the same job, run on threads beforehand, so that views have room for all that a stepped run will send.
#pragma once

#include <optional>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/job/job.h"

namespace rankscope::gui {

/// Returns whether a run is slow enough to be watched: its ranks are held or delayed.
bool is_watched(const JobSpec& spec, bool held);
/// Returns the plan; nothing for programs, faulty algorithms, several iterations, large jobs, and runs that fail.
/// `interrupt_fd` is readable when the plan is no longer needed.
std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd);

}  // namespace rankscope::gui
