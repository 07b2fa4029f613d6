// The facts about a run that its trace carries beside the events.
#pragma once

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// What is known before the ranks run.
TraceMeta meta_of(const JobSpec& spec);
/// What is known only when they have.
void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result);

}  // namespace rankscope
