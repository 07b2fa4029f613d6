// Bruck allgather: Bruck et al. (1997); Thakur et al. (2005), "Allgather". Each rank keeps its own
// block first, doubles what it has from the rank 2^k after it, and turns the blocks into rank order
// at the end.
//
//   round   rank 0      rank 1      rank 2      rank 3
//   start   a           b           c           d
//   1       a b         b c         c d         d a
//   2       a b c d     b c d a     c d a b     d a b c
//   turn    a b c d     a b c d     a b c d     a b c d
//
// ceil(log2 N) rounds for any N; with D the total, every rank sends D (N-1)/N bytes.
#include <algorithm>

#include "engine/collectives/algorithms.h"

namespace rankscope {

void allgather_bruck(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Partition blocks = Partition::uniform(args.in.count(), n);
  const Buffer turned = comm.scratch(args.in.dtype(), blocks.count(), "turned");
  {
    const auto phase = comm.phase("doubling");
    comm.copy(turned[blocks[0]], args.in);
    for (int have = 1; have < n; have *= 2) {
      const int more = std::min(have, n - have);
      comm.sendrecv(wrap(rank - have, n), turned[blocks.span(0, more)], wrap(rank + have, n),
                    turned[blocks.span(have, have + more)]);
    }
  }
  const auto phase = comm.phase("turn");
  comm.copy(args.out[blocks.span(rank, n)], turned[blocks.span(0, n - rank)]);
  comm.copy(args.out[blocks.span(0, rank)], turned[blocks.span(n - rank, n)]);
}

}  // namespace rankscope
