// The end of each round on each rank. Ranks do not move in step, so the state after a round is another moment on each.
#pragma once

#include <vector>

#include "engine/analysis/events/rounds.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

struct RoundCuts {
  /// cut[r][k] is the cursor of rank r when its part of round k is done: k = 0 before the first message, k = rounds + 1
  /// at the end, also of events after the last message.
  std::vector<std::vector<Cursor>> cut;
  /// Some events follow the last message (the division of AVG).
  bool ends_differ = false;
};
RoundCuts round_cuts(const Trace& trace, const Rounds& rounds);

}  // namespace rankscope
