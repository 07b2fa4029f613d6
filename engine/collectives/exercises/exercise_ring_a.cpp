// Ring allreduce. In the first N-1 steps the ranks pass data around and add what they get; in the
// N-1 steps after that they pass the sums around. Even ranks send first and odd ranks receive
// first, so that nobody waits for a rank that is waiting too.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_ring_a(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Buffer received = comm.scratch(data.dtype(), data.count(), "received");
  const auto exchange = [&](Rank to, Rank from) {
    if (rank % 2 == 0) comm.send(to, data);
    comm.recv(from, received);
    if (rank % 2 == 1) comm.send(to, data);
  };
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(n - 1)) {
    exchange(wrap(rank - step, n), wrap(rank - step - 1, n));
    comm.reduce(data, received, args.op);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(n - 1)) {
    exchange(wrap(rank - step - 1, n), wrap(rank - step - 2, n));
    comm.copy(data, received);
  }
}

}  // namespace rankscope
