// Flat allgather: gather at rank 0, which then sends everything to everybody.
//
//   after       rank 0     rank 1     rank 2     rank 3
//   start       a          b          c          d
//   gather      a b c d    b          c          d
//   broadcast   a b c d    a b c d    a b c d    a b c d
//
// 2 (N-1) rounds; with D the total, rank 0 sends (N-1) D bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void allgather_flat(Communicator& comm, const Args& args) {
  Args with_root_0 = args;
  with_root_0.root = 0;
  gather_flat(comm, with_root_0);
  broadcast_flat(comm, with_root_0);
}

}  // namespace rankscope
