// The plan of a run: the same job made to its end on threads, at once and unseen, so that a run that somebody steps
// through has its place for everything that is to come.
#pragma once

#include <optional>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/job/job.h"

namespace rankscope::gui {

/// A run that grows slowly enough to be watched: somebody holds it, or delays its ranks.
bool is_watched(const JobSpec& spec, bool held);
/// Nothing of programs, of faulty algorithms, of more data than is quickly moved, and of runs that failed.
/// `interrupt_fd`: readable when nobody wants it any more.
std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd);

}  // namespace rankscope::gui
