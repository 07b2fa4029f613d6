// Ring allreduce with N chunks: in N-1 steps each rank sends one chunk to its right neighbour and
// adds the one that comes from the left; in N-1 more steps the finished chunks go around.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_ring_c(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int n = comm.size();
  const Ring ring(comm);
  const Partition part(data.count(), n);
  const auto chunk = [&](Rank rank, int step) { return data[part[wrap(rank + step, n)]]; };
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(n - 1)) {
    auto sent = comm.isend(ring.next(), chunk(ring.rank, step));
    comm.recv_reduce(ring.prev(), chunk(ring.rank - 1, step), args.op);
    comm.wait(sent);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(n - 1))
    comm.sendrecv(ring.next(), chunk(ring.rank + 1, step), ring.prev(), chunk(ring.rank, step));
}

}  // namespace rankscope
