// Allreduce around a ring, without cutting the data: what comes from the left is added to the sum
// and goes on to the right.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_sum_b(Communicator& comm, const Args& args) {
  const Slice sum = args.out;
  const Ring ring(comm);
  const Buffer passing = comm.scratch(sum.dtype(), sum.count(), "passing");
  const Buffer received = comm.scratch(sum.dtype(), sum.count(), "received");
  comm.copy(passing, args.in);
  const auto phase = comm.phase("ring");
  for ([[maybe_unused]] int step : steps(comm.size() - 1)) {
    comm.sendrecv(ring.next(), passing, ring.prev(), received);
    comm.reduce(sum, args.in, args.op);
    comm.copy(passing, received);
  }
}

}  // namespace rankscope
