// Flat gather: every rank sends its block to the root, which receives in rank order.
//
//   step   rank 0 (root)   rank 1   rank 2   rank 3
//   1      a b . .         b ->
//   2      a b c .                  c ->
//   3      a b c d                           d ->
//
// N-1 rounds; with D the total, every rank but the root sends D/N bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void gather_flat(Communicator& comm, const Args& args) {
  const auto phase = comm.phase("gather");
  if (comm.rank() != args.root) {
    comm.send(args.root, args.in);
    return;
  }
  const Partition blocks = Partition::uniform(args.in.count(), comm.size());
  for (Rank r = 0; r < comm.size(); ++r) {
    if (r == args.root) comm.copy(args.out[blocks[r]], args.in);
    else comm.recv(r, args.out[blocks[r]]);
  }
}

}  // namespace rankscope
