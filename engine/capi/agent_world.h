// A run whose ranks are agents of programs elsewhere; the agents record what they see.
#pragma once

#include <optional>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::capi {

struct AgentWorldRun {
  JobResult result;
  TraceMeta meta;
  std::optional<TraceAnalysis> trace;  ///< Missing if there was no run.
  std::vector<EventBatch> events;      ///< The trace's events, for a file.
};

/// `options.part` serves a rank (Agent::serve). Each event is marked as seen by an agent; grades count no other events.
AgentWorldRun run_agents(const JobSpec& spec, RunnerOptions options);

}  // namespace rankscope::capi
