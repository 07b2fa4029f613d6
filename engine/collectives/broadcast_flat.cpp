// Flat broadcast: the root sends to one rank after the other.
//
//   step   rank 0 (root)   rank 1   rank 2   rank 3
//   1      x -> 1          x
//   2      x -> 2          x        x
//   3      x -> 3          x        x        x
//
// N-1 rounds; the root sends (N-1) D bytes, the others nothing.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void broadcast_flat(Communicator& comm, const Args& args) {
  const auto phase = comm.phase("broadcast");
  if (comm.rank() != args.root) {
    comm.recv(args.root, args.out);
    return;
  }
  for (Rank r = 0; r < comm.size(); ++r)
    if (r != args.root) comm.send(r, args.out);
}

}  // namespace rankscope
