// Allreduce around a ring: in N-1 steps every rank sends to its right neighbour and adds what
// comes from its left one, so that everything has come past everybody.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_ring_b(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Ring ring(comm);
  const Buffer received = comm.scratch(data.dtype(), data.count(), "received");
  const auto phase = comm.phase("ring");
  for ([[maybe_unused]] int step : steps(comm.size() - 1)) {
    comm.sendrecv(ring.next(), data, ring.prev(), received);
    comm.reduce(data, received, args.op);
  }
}

}  // namespace rankscope
