// Tables of moves that several tests of the studio use.
#pragma once

#include "engine/collectives/schedule.h"
#include "engine/core/base/partition.h"
#include "engine/studio/tasks/schedule_tasks.h"

namespace rankscope::test {

/// The ring of allreduce; its first half is a reduce-scatter in which rank r ends with chunk r.
inline Schedule ring_schedule(int n, bool reduce_scatter, bool allgather) {
  Schedule out;
  int step = 0;
  if (reduce_scatter)
    for (int k = 1; k < n; ++k) {
      ++step;
      for (Rank r = 0; r < n; ++r)
        out.moves.push_back({step, r, wrap(r + 1, n), wrap(r - k, n), true});
    }
  if (allgather)
    for (int k = 0; k < n - 1; ++k) {
      ++step;
      for (Rank r = 0; r < n; ++r)
        out.moves.push_back({step, r, wrap(r + 1, n), wrap(r - k, n), false});
    }
  return out;
}

/// Recursive doubling: partners exchange all they have in one step.
inline Schedule doubling_schedule(int n) {
  Schedule out;
  int step = 0;
  for (int distance = 1; distance < n; distance *= 2) {
    ++step;
    for (Rank r = 0; r < n; ++r)
      out.moves.push_back({step, r, r ^ distance, ScheduleMove::kWhole, true});
  }
  return out;
}

inline ScheduleUse schedule_use(Collective collective, int ranks, Rank root = 0) {
  return {"test", collective, ranks, root};
}

}  // namespace rankscope::test
