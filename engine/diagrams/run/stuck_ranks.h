// Which ranks of a run are blocked for ever, and which were lost: asked by every picture that marks them.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope {

struct StuckRanks {
  BlockedRanks blocked;  ///< Of a deadlock.
  std::vector<Rank> lost;
  std::string lost_what, lost_why;  ///< Of the first one: "rank 2 was killed by signal 9 (Killed)".

  bool is_lost(Rank rank) const noexcept;
  bool any() const noexcept { return !blocked.groups.empty() || !lost.empty(); }
};

/// Nothing of runs of very many events.
StuckRanks stuck_ranks(const TraceAnalysis& analysis);

}  // namespace rankscope
