// Checks and runs jobs, and collects the facts about them for a trace.
#pragma once

#include "engine/collectives/oracle.h"
#include "engine/core/run/trace_meta.h"
#include "engine/core/trace/event.h"
#include "engine/core/trace/trace.h"
#include "transports/factory.h"

namespace rankscope {

/// Throws UserError for any job that cannot run: unknown algorithm (with the nearest names), world size < 1, negative
/// or too large counts, root out of range, bit operations on floats ...
void validate(const JobSpec& spec);

/// Returns what is reported of a rank when the run timed out.
RankFailure timeout_failure(Rank rank, bool ended, std::string where);

/// Runs jobs on threads (InprocRunner), in processes (ProcessRunner), or in virtual time (SimRunner).
class Runner {
 public:
  virtual ~Runner() = default;
  /// Blocks until the job has ended, whatever its outcome; a failed job is a result, not an exception. Throws UserError
  /// for a spec that does not validate. On return, all events have been delivered.
  virtual JobResult run(const JobSpec& spec, EventSink& sink) = 0;
  /// Adds the hosts of the last run's ranks and their clock offsets; nothing if one process ran them all.
  virtual void add_places(TraceMeta&) const {}
};

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
