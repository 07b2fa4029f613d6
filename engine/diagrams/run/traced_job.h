// The facts about the job behind a trace that diagrams show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// From TraceMeta::job; defaults if the trace does not say (a student's program, a damaged file).
struct TracedJob {
  explicit TracedJob(const TraceAnalysis& analysis);

  const CollectiveTraits* collective = nullptr;  ///< Null for a program.
  std::vector<std::int64_t> shape;  ///< Shape of one rank's input; empty where not known.
  std::size_t element_bytes = 0;    ///< 0: not known.
  int scatter_dim = 0, gather_dim = 0;
  /// D, as lower bounds count it; 0 if unknown.
  std::uint64_t data_bytes = 0;
};

/// Returns the name of a simulated run's network; empty where it has none, or it cannot be read.
std::string network_title(const TraceMeta& meta);

/// Returns whether this is an all-to-all in which each message carries just its sender's chunk for its receiver; false
/// where the trace does not say its job.
bool sends_chunks_directly(const TraceAnalysis& analysis);

}  // namespace rankscope
