// Flat reduce: every rank sends to the root, which adds in rank order.
//
//   step   rank 0 (root)        rank 1   rank 2   rank 3
//   1      a+b                  b ->
//   2      a+b+c                         c ->
//   3      a+b+c+d                                d ->
//
// N-1 rounds (the root takes one message after the other); every rank but the root sends D bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void reduce_flat(Communicator& comm, const Args& args) {
  const auto phase = comm.phase("reduce");
  if (comm.rank() != args.root) {
    comm.send(args.root, args.out);
    return;
  }
  for (Rank r = 0; r < comm.size(); ++r)
    if (r != args.root) comm.recv_reduce(r, args.out, args.op);
}

}  // namespace rankscope
