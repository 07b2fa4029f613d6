// The facts about a run that its trace holds besides the events.
#pragma once

#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// Returns the collective of one of our algorithms; nothing for a program, whatever its file's name, and for an
/// exercise, which may not do what it should.
std::optional<Collective> collective_of(const JobSpec& spec);
/// Adds a simulated job's network, and whether switches take part in it.
void add_network(TraceMeta& meta, const JobSpec& spec);
/// Returns the facts known before the ranks run.
TraceMeta meta_of(const JobSpec& spec);
/// Adds the facts known once they have run.
void add_outcome(TraceMeta& meta, const Runner& runner, const JobResult& result);

}  // namespace rankscope
