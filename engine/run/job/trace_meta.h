// The facts about a run that its trace carries beside the events.
#pragma once

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// The collective of an algorithm of ours; nothing for a program, whatever its file is called, and for an exercise, which
/// may do something else than it should.
std::optional<Collective> collective_of(const JobSpec& spec);
/// Adds a simulated job's network, and whether switches take part in it.
void add_network(TraceMeta& meta, const JobSpec& spec);
/// The facts that are known before the ranks run.
TraceMeta meta_of(const JobSpec& spec);
/// Adds the facts that are known once they have run.
void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result);

}  // namespace rankscope
