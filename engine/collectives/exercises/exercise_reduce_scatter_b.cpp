// Reduce-scatter by direct exchange: chunk i of every rank goes to rank i, which adds. In step s
// everybody sends s ranks to the right and receives from as far to the left.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_reduce_scatter_b(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Partition part(args.in.count(), n);
  const auto phase = comm.phase("reduce-scatter");
  for (int step = 1; step < n; ++step) {
    const Rank to = wrap(comm.rank() + step, n), from = wrap(comm.rank() - step, n);
    auto sent = comm.isend(to, args.in[part[to]]);
    if (step == 1) comm.recv(from, args.out);
    else comm.recv_reduce(from, args.out, args.op);
    comm.wait(sent);
  }
}

}  // namespace rankscope
