// Ring allreduce with N chunks: N-1 steps in which ranks add what comes from the left, and N-1 in
// which they keep it.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_ring_f(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Ring ring(comm);
  const Count length = data.count() / comm.size();
  const auto chunk = [&](int step) { return data[Range{ring.chunk(step) * length, length}]; };
  const int phase_steps = comm.size() - 1;
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(phase_steps)) {
    auto sent = comm.isend(ring.next(), chunk(step));
    comm.recv_reduce(ring.prev(), chunk(step + 1), args.op);
    comm.wait(sent);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(phase_steps))
    comm.sendrecv(ring.next(), chunk(phase_steps + step), ring.prev(),
                  chunk(phase_steps + step + 1));
}

}  // namespace rankscope
