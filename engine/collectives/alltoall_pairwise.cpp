// Pairwise all-to-all: Thakur et al. (2005), "All-to-All". In each round every rank talks to one
// other: for a power of two the pairs are rank XOR round, otherwise it sends `round` ranks to the
// right and receives from as far to the left.
//
//   round   pairs        rank 0     rank 1     rank 2     rank 3     (b0: rank 0's chunk b)
//   keep                 a0         b1         c2         d3
//   1       0-1, 2-3     a1         b0         c3         d2
//   2       0-2, 1-3     a2         b3         c0         d1
//   3       0-3, 1-2     a3         b2         c1         d0
//
// N-1 rounds; every rank sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/alltoall_blocks.h"

namespace rankscope {

void alltoall_pairwise(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  AlltoallBlocks blocks(comm, args);
  const auto phase = comm.phase("exchange");
  blocks.place_own();
  for (int round = 1; round < n; ++round) {
    const Rank to = is_power_of_two(n) ? rank ^ round : wrap(rank + round, n);
    const Rank from = is_power_of_two(n) ? rank ^ round : wrap(rank - round, n);
    const Slice block = blocks.incoming(from);
    comm.sendrecv(to, blocks.outgoing(to), from, block);
    blocks.place(from, block);
  }
}

}  // namespace rankscope
