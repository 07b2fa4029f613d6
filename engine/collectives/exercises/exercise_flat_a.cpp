// Flat allreduce: rank 0 receives from every rank in rank order, adding, and sends the sum back to
// every rank.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_flat_a(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int n = comm.size();
  if (n == 1) return;
  if (comm.rank() != 0) {
    comm.send(0, data);
    comm.recv(0, data);
    return;
  }
  comm.recv(1, data);
  for (Rank r = 2; r < n; ++r) comm.recv_reduce(r, data, args.op);
  for (Rank r = 1; r < n; ++r) comm.send(r, data);
}

}  // namespace rankscope
