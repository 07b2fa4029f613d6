// Ring allreduce: what a rank gets from its left neighbour it adds to its sum, and passes it on to
// the right. Meant for large messages, where a ring of N ranks sends 2 D (N-1)/N bytes a rank.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_ring_d(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Ring ring(comm);
  const Buffer passing = comm.scratch(data.dtype(), data.count(), "passing");
  const Buffer received = comm.scratch(data.dtype(), data.count(), "received");
  comm.copy(passing, data);
  const auto phase = comm.phase("ring");
  for ([[maybe_unused]] int step : steps(comm.size() - 1)) {
    comm.sendrecv(ring.next(), passing, ring.prev(), received);
    comm.reduce(data, received, args.op);
    comm.copy(passing, received);
  }
}

}  // namespace rankscope
