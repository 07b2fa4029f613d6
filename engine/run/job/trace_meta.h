// The facts about a run that its trace carries beside the events.
#pragma once

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// Of an algorithm of ours; nothing for a program, whatever its file is called, and for an exercise: what
/// it should do is not what it does.
std::optional<Collective> collective_of(const JobSpec& spec);
/// Of a simulated job: its network, and whether switches take part in it.
void add_network(TraceMeta& meta, const JobSpec& spec);
/// What is known before the ranks run.
TraceMeta meta_of(const JobSpec& spec);
/// What is known only when they have.
void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result);

}  // namespace rankscope
