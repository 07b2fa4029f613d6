// A run whose ranks are agents of programs elsewhere, recorded as what they saw.
#pragma once

#include <optional>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::capi {

struct AgentWorldRun {
  JobResult result;
  TraceMeta meta;
  std::optional<TraceAnalysis> trace;  ///< Missing when there was no run.
  std::vector<EventBatch> events;      ///< The trace's, for a file.
};

/// `options.part` serves a rank (Agent::serve). Each event says that an agent has seen it: grades count no
/// others.
AgentWorldRun run_agents(const JobSpec& spec, RunnerOptions options);

}  // namespace rankscope::capi
