// Direct-exchange reduce-scatter: every rank sends chunk i straight to rank i. In step s everybody
// sends s ranks to the right, so that nobody gets two messages in one round.
//
//   step   rank 0           rank 1           rank 2           rank 3       (a3: rank 3's chunk a)
//   start  a0               b1               c2               d3
//   1      a0+a3            b1+b0            c2+c1            d3+d2
//   2      a0+a3+a2         b1+b0+b3         c2+c1+c0         d3+d2+d1
//   3      a0+a3+a2+a1      b1+b0+b3+b2      c2+c1+c0+c3      d3+d2+d1+d0
//
// N-1 rounds; every rank sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void reduce_scatter_direct(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Partition part(args.in.count(), n);
  const auto phase = comm.phase("reduce-scatter");
  comm.copy(args.out, args.in[part[comm.rank()]]);
  for (int step = 1; step < n; ++step) {
    const Rank to = wrap(comm.rank() + step, n), from = wrap(comm.rank() - step, n);
    auto sent = comm.isend(to, args.in[part[to]]);
    comm.recv_reduce(from, args.out, args.op);
    comm.wait(sent);
  }
}

}  // namespace rankscope
