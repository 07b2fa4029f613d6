// Flat scatter: the root sends each rank its chunk, in rank order.
//
//   step   rank 0 (root)   rank 1   rank 2   rank 3
//   1      b -> 1          b
//   2      c -> 2                   c
//   3      d -> 3                            d
//
// N-1 rounds; the root sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void scatter_flat(Communicator& comm, const Args& args) {
  const auto phase = comm.phase("scatter");
  if (comm.rank() != args.root) {
    comm.recv(args.root, args.out);
    return;
  }
  const Partition part(args.in.count(), comm.size());
  for (Rank r = 0; r < comm.size(); ++r) {
    if (r == args.root) comm.copy(args.out, args.in[part[r]]);
    else comm.send(r, args.in[part[r]]);
  }
}

}  // namespace rankscope
