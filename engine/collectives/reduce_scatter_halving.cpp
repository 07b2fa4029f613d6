// Recursive-halving reduce-scatter: Thakur et al. (2005), "Reduce-Scatter"; Chan et al. (2007),
// bidirectional exchange. In each round a rank gives the half of its chunks that its partner goes
// on with.
//
//   round   partners     rank 0       rank 1       rank 2       rank 3   (chunks still held)
//   start                a b c d      a b c d      a b c d      a b c d
//   1       0-2, 1-3     a b          a b          c d          c d
//   2       0-1, 2-3     a            b            c            d
//
// ceil(log2 N) rounds and D (N-1)/N bytes per rank when N is a power of two. Otherwise surplus ranks
// fold in and out (fold.h): floor(log2 N) + 2 rounds, and each surplus rank sends D bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/fold.h"

namespace rankscope {

void reduce_scatter_halving(Communicator& comm, const Args& args) {
  const Partition part(args.in.count(), comm.size());
  const Rank rank = comm.rank();
  const Fold fold(comm.size());
  if (fold.sits_out(rank)) {
    const auto phase = comm.phase("fold");
    comm.send(rank - 1, args.in);
    comm.recv(rank - 1, args.out);
    return;
  }
  const Buffer work = comm.scratch(args.in.dtype(), args.in.count(), "work");
  comm.copy(work, args.in);
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold in");
    comm.recv_reduce(rank + 1, work, args.op);
  }
  {
    const auto phase = comm.phase("halving");
    // The chunks of participants first .. last-1 and of those for whom they carry.
    const auto chunks = [&](int first, int last) {
      return work[part.span(fold.rank_of(first), fold.rank_of(last))];
    };
    const int self = fold.participant(rank);
    for (int length = fold.participants() / 2; length > 0; length /= 2) {
      const int keep = self & ~(length - 1), give = keep ^ length;
      const Rank partner = fold.rank_of(self ^ length);
      auto sent = comm.isend(partner, chunks(give, give + length));
      comm.recv_reduce(partner, chunks(keep, keep + length), args.op);
      comm.wait(sent);
    }
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + 1, work[part[rank + 1]]);
  }
  comm.copy(args.out, work[part[rank]]);
}

}  // namespace rankscope
