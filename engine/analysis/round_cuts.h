// Where each round ends. Ranks do not move in step, so the state after a round is another moment on
// each rank.
#pragma once

#include <vector>

#include "engine/analysis/events/rounds.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

struct RoundCuts {
  /// cut[r][k]: how far into the trace rank r is when its part of round k is done (k = 0: before the
  /// first message; rounds + 1: everything, also what follows the last message).
  std::vector<std::vector<Cursor>> cut;
  /// Something follows the last message (the division of AVG).
  bool ends_differ = false;
};
RoundCuts round_cuts(const Trace& trace, const Rounds& rounds);

}  // namespace rankscope
