// Recursive-doubling allgather: Thakur et al. (2005), "Allgather"; Chan et al. (2007),
// bidirectional exchange. In each round a rank exchanges all it has with a partner twice as far
// away.
//
//   round   partners          rank 0     rank 1     rank 2     rank 3
//   start                     a . . .    . b . .    . . c .    . . . d
//   1       0-1, 2-3          a b . .    a b . .    . . c d    . . c d
//   2       0-2, 1-3          a b c d    a b c d    a b c d    a b c d
//
// ceil(log2 N) rounds and, with D the total, D (N-1)/N bytes per rank when N is a power of two.
// Otherwise surplus ranks fold in and out (fold.h): floor(log2 N) + 2 rounds, and a rank that
// carries for another sends D bytes more.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/fold.h"

namespace rankscope {

void allgather_doubling(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Partition blocks = Partition::uniform(args.in.count(), comm.size());
  const Rank rank = comm.rank();
  const Fold fold(comm.size());
  // The blocks of participants first .. last-1 and of those for whom they carry.
  const auto held = [&](int first, int last) {
    return data[blocks.span(fold.rank_of(first), fold.rank_of(last))];
  };

  if (fold.sits_out(rank)) {
    const auto phase = comm.phase("fold");
    comm.send(rank - 1, args.in);
    comm.recv(rank - 1, data);
    return;
  }
  comm.copy(data[blocks[rank]], args.in);
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold in");
    comm.recv(rank + 1, data[blocks[rank + 1]]);
  }
  {
    const auto phase = comm.phase("doubling");
    const int self = fold.participant(rank);
    for (int length = 1; length < fold.participants(); length *= 2) {
      const int mine = self & ~(length - 1), theirs = mine ^ length;
      const Rank partner = fold.rank_of(self ^ length);
      comm.sendrecv(partner, held(mine, mine + length), partner, held(theirs, theirs + length));
    }
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + 1, data);
  }
}

}  // namespace rankscope
