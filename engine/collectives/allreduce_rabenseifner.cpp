// Rabenseifner's allreduce: recursive-halving reduce-scatter, then recursive-doubling allgather.
// Rabenseifner, "Optimization of collective reduction operations" (2004); Thakur et al. (2005),
// "Reduce and Allreduce".
//
//   round        partners     rank 0      rank 1      rank 2      rank 3    (A: summed over all)
//   halving 1    0-2, 1-3     a b . .     a b . .     . . c d     . . c d
//   halving 2    0-1, 2-3     A . . .     . B . .     . . C .     . . . D
//   doubling 1   0-1, 2-3     A B . .     A B . .     . . C D     . . C D
//   doubling 2   0-2, 1-3     A B C D     A B C D     A B C D     A B C D
//
// 2 log2 N rounds and 2 D (N-1)/N bytes per rank when N is a power of two. Otherwise surplus ranks
// fold in and out (fold.h): 2 floor(log2 N) + 2 rounds, and with p = 2^floor(log2 N) a rank that
// carries for another sends 2 D (p-1)/p + D bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/fold.h"

namespace rankscope {

void allreduce_rabenseifner(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Rank rank = comm.rank();
  const Fold fold(comm.size());
  if (fold.sits_out(rank)) {
    const auto phase = comm.phase("fold");
    comm.send(rank - 1, data);
    comm.recv(rank - 1, data);
    return;
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold in");
    comm.recv_reduce(rank + 1, data, args.op);
  }
  const int p = fold.participants(), self = fold.participant(rank);
  const Partition part(data.count(), p);  // one chunk a participant
  const auto chunks = [&](int first, int length) { return data[part.span(first, first + length)]; };
  for (auto phase = comm.phase("reduce-scatter"); int round : steps(floor_log2(p))) {
    const int length = p >> (round + 1);
    const int keep = self & ~(length - 1), give = keep ^ length;
    const Rank partner = fold.rank_of(self ^ length);
    auto sent = comm.isend(partner, chunks(give, length));
    comm.recv_reduce(partner, chunks(keep, length), args.op);
    comm.wait(sent);
  }
  for (auto phase = comm.phase("allgather"); int round : steps(floor_log2(p))) {
    const int length = 1 << round;
    const int mine = self & ~(length - 1), theirs = mine ^ length;
    const Rank partner = fold.rank_of(self ^ length);
    comm.sendrecv(partner, chunks(mine, length), partner, chunks(theirs, length));
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + 1, data);
  }
}

}  // namespace rankscope
