// The partners of Swing, and the order of chunks in which each half of an exchange is one run.
#pragma once

#include "engine/core/base/partition.h"

namespace rankscope {

/// Partners in a ring of p ranks (a power of two). De Sensi et al. (2024), section 3: at step s = 0, 1, ..., even ranks
/// r exchange with r + d(s), d(s) = 1, -1, 3, -5, 11, ... = (1 - (-2)^(s+1)) / 3: less than 2^s away from the third
/// step on.
inline Rank swing_partner(Rank rank, int step, int p) {
  int distance = 0;
  for (int i = 0, term = 1; i <= step; ++i, term *= -2) distance += term;
  return wrap(rank % 2 == 0 ? rank + distance : rank - distance, p);
}

/// Returns the number of the chunk that a rank reduces. The p / 2^s ranks that a rank reaches from step s on have
/// consecutive positions, and its partner of step s - 1 reaches the other half: each bit says in which half a rank is.
inline int swing_position(Rank rank, int p) {
  int position = 0;
  for (int step = 1; step < floor_log2(p); ++step) {
    const Rank even = rank % 2 == 0 ? rank : swing_partner(rank, step, p);
    position = 2 * position + ((even >> step) & 1);
  }
  return p == 1 ? 0 : 2 * position + rank % 2;
}

}  // namespace rankscope
