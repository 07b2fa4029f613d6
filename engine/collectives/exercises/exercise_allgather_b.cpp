// Allgather: every rank gets all blocks in rank order. Meant for large blocks.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_allgather_b(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const auto blocks = Partition::uniform(args.in.count(), n);
  const auto phase = comm.phase("allgather");
  if (comm.rank() != 0) {
    comm.send(0, args.in);
    comm.recv(0, args.out);
    return;
  }
  comm.copy(args.out[blocks[0]], args.in);
  for (Rank r = 1; r < n; ++r) comm.recv(r, args.out[blocks[r]]);
  for (Rank r = 1; r < n; ++r) comm.send(r, args.out);
}

}  // namespace rankscope
