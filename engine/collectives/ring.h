// The neighbours in a ring, and the chunk that moves at each step.
#pragma once

#include "engine/core/message/communicator.h"

namespace rankscope {

/// Each rank sends to one neighbour and receives from the other. At step s (from 0) a rank sends
/// chunk(s) and receives chunk(s + 1): what it receives is what it sends next.
struct Ring {
  Rank rank;
  int size;
  /// Homework's convention: data moves to the left neighbour and rank n starts with chunk n - 1.
  /// Otherwise data moves to the right and rank n starts with chunk n.
  bool left = false;

  explicit Ring(const Communicator& comm, bool to_the_left = false)
      : rank(comm.rank()), size(comm.size()), left(to_the_left) {}

  Rank next() const noexcept { return wrap(left ? rank - 1 : rank + 1, size); }
  Rank prev() const noexcept { return wrap(left ? rank + 1 : rank - 1, size); }
  int chunk(int step) const noexcept { return wrap(left ? rank - 1 + step : rank - step, size); }
};

/// In place on `data`, cut by `part` into one chunk per rank: afterwards rank r holds the reduction
/// of chunk r; its other chunks are partial sums. (reduce_scatter_ring.cpp)
void ring_reduce_scatter(Communicator& comm, Slice data, const Partition& part, ReduceOp op);

/// In place on `data`: rank r brings chunk r and gets all others. (allgather_ring.cpp)
void ring_allgather(Communicator& comm, Slice data, const Partition& part);

}  // namespace rankscope
