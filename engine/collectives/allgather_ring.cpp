// Ring allgather: Thakur et al. (2005), "Allgather"; Chan et al. (2007), bucket. At each step a
// rank passes on the block that it has just received.
//
//   step    rank 0     rank 1     rank 2     rank 3
//   start   a . . .    . b . .    . . c .    . . . d
//   1       a . . d    a b . .    . b c .    . . c d
//   2       a . c d    a b . d    a b c .    . b c d
//   3       a b c d    a b c d    a b c d    a b c d
//
// N-1 rounds; with D the total, every rank sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void ring_allgather(Communicator& comm, Slice data, const Partition& part) {
  const Ring ring(comm);
  for (int step : steps(comm.size() - 1))
    comm.sendrecv(ring.next(), data[part[ring.chunk(step)]], ring.prev(),
                  data[part[ring.chunk(step + 1)]]);
}

void allgather_ring(Communicator& comm, const Args& args) {
  const Partition blocks = Partition::uniform(args.in.count(), comm.size());
  const auto phase = comm.phase("allgather");
  comm.copy(args.out[blocks[comm.rank()]], args.in);
  ring_allgather(comm, args.out, blocks);
}

}  // namespace rankscope
