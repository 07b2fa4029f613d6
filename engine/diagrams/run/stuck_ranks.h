// The ranks of a run that are blocked for ever or were lost, for every picture that marks them.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope {

struct StuckRanks {
  BlockedRanks blocked;  ///< The ranks of a deadlock.
  std::vector<Rank> lost;
  std::string lost_what,
      lost_why;  ///< The first one's loss and its reason: "rank 2 was killed by signal 9 (Killed)".

  bool is_lost(Rank rank) const noexcept;
  bool any() const noexcept { return !blocked.groups.empty() || !lost.empty(); }
};

/// Returns none for runs of very many events.
StuckRanks stuck_ranks(const TraceAnalysis& analysis);

}  // namespace rankscope
