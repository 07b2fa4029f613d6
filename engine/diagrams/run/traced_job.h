// What diagrams need to know of the job behind a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// From TraceMeta::job; defaults where the trace does not say (a student's program, a damaged
/// file).
struct TracedJob {
  explicit TracedJob(const TraceAnalysis& analysis);

  const CollectiveTraits* collective = nullptr;  ///< Null: a program of somebody else's.
  std::vector<std::int64_t> shape;               ///< Of one rank's input; empty: not known.
  std::size_t element_bytes = 0;                 ///< 0: not known.
  int scatter_dim = 0, gather_dim = 0;
  /// D, as lower bounds count it; 0: not known.
  std::uint64_t data_bytes = 0;
};

/// Of a simulated run: what its network is called; empty: it has none, or that cannot be read.
std::string network_title(const TraceMeta& meta);

/// Is this an all-to-all of which each message carries just the chunk that its sender has for its receiver?
/// False where the trace does not say its job.
bool sends_chunks_directly(const TraceAnalysis& analysis);

}  // namespace rankscope
