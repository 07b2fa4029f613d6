// Ring allreduce with N chunks: N-1 steps in which ranks add what comes from the left, and N-1 in
// which they keep it.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_ring_e(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Ring ring(comm);
  const Partition part(data.count(), comm.size());
  const int phase_steps = comm.size() - 1;
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(phase_steps)) {
    comm.send(ring.next(), data[part[ring.chunk(step)]]);
    comm.recv_reduce(ring.prev(), data[part[ring.chunk(step + 1)]], args.op);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(phase_steps)) {
    comm.send(ring.next(), data[part[ring.chunk(phase_steps + step)]]);
    comm.recv(ring.prev(), data[part[ring.chunk(phase_steps + step + 1)]]);
  }
}

}  // namespace rankscope
