// Parts that plans of several algorithms share.
#pragma once

#include "engine/model/costs/message_times.h"
#include "engine/model/costs/parts.h"

namespace rankscope::plans {

/// Some ranks of a plan: the first, and how far apart the others are.
struct RankRow {
  Rank first = 0;
  int apart = 1;
  Rank operator[](int i) const noexcept { return first + i * apart; }
};

/// Ring steps of n ranks: at step s the r-th one sends chunk r + shift - s to the next one.
inline void around_ring(MessagePlan& plan, int n, const ByteParts& chunks, int shift, bool reduces,
                        RankRow ranks = {}) {
  for (int r = 0; r < n; ++r)
    for (int step = 0; step < n - 1; ++step) {
      plan.send(ranks[r], ranks[wrap(r + 1, n)], chunks[wrap(r + shift - step, n)]);
      plan.receive(ranks[r], ranks[wrap(r - 1, n)]);
      if (reduces) plan.reduce(ranks[r], chunks[wrap(r - 1 + shift - step, n)]);
    }
}

}  // namespace rankscope::plans
