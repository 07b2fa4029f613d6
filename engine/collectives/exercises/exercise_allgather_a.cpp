// Allgather by direct exchange: every rank sends its block to all others, and puts what it gets
// after what it has.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_allgather_a(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const auto blocks = Partition::uniform(args.in.count(), n);
  const auto phase = comm.phase("exchange");
  comm.copy(args.out[blocks[0]], args.in);
  for (int step = 1; step < n; ++step)
    comm.sendrecv(wrap(comm.rank() + step, n), args.in, wrap(comm.rank() - step, n),
                  args.out[blocks[step]]);
}

}  // namespace rankscope
