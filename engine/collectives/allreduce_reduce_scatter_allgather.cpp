// Allreduce as two collectives one after the other: reduce-scatter, then allgather, both in a ring.
// The ring allreduce in two calls; each rank ends the first with the chunk of its own number.
//
//   after            rank 0     rank 1     rank 2     rank 3      (A: chunk a summed over all)
//   start            a b c d    a b c d    a b c d    a b c d
//   reduce-scatter   A . . .    . B . .    . . C .    . . . D
//   allgather        A B C D    A B C D    A B C D    A B C D
//
// 2 (N-1) rounds; every rank sends 2 D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void allreduce_reduce_scatter_allgather(Communicator& comm, const Args& args) {
  const Partition part(args.out.count(), comm.size());
  {
    const auto phase = comm.phase("reduce-scatter");
    ring_reduce_scatter(comm, args.out, part, args.op);
  }
  const auto phase = comm.phase("allgather");
  ring_allgather(comm, args.out, part);
}

}  // namespace rankscope
