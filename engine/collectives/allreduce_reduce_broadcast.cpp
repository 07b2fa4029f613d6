// Allreduce as two collectives one after the other: reduce to rank 0, then broadcast from it, both
// on a binomial tree.
//
//   after       rank 0     rank 1     rank 2     rank 3
//   start       a          b          c          d
//   reduce      a+b+c+d    b          c+d        d           (others than rank 0: unspecified)
//   broadcast   a+b+c+d    a+b+c+d    a+b+c+d    a+b+c+d
//
// 2 ceil(log2 N) rounds; rank 0 sends ceil(log2 N) D bytes, which no rank exceeds.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void allreduce_reduce_broadcast(Communicator& comm, const Args& args) {
  Args with_root_0 = args;
  with_root_0.root = 0;
  reduce_binomial(comm, with_root_0);
  broadcast_binomial(comm, with_root_0);
}

}  // namespace rankscope
