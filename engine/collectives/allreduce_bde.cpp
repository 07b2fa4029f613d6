// Bidirectional-exchange (recursive-doubling) allreduce: Thakur et al. (2005), "Reduce and
// Allreduce"; Chan et al. (2007), bidirectional exchange. Partners exchange everything, and both
// add.
//
//   round   partners     rank 0     rank 1     rank 2     rank 3
//   start                a          b          c          d
//   1       0-1, 2-3     a+b        a+b        c+d        c+d
//   2       0-2, 1-3     a+b+c+d    a+b+c+d    a+b+c+d    a+b+c+d
//
// log2 N rounds, N log2 N messages and log2(N) D bytes per rank when N is a power of two. Otherwise
// surplus ranks fold in and out (fold.h): with p = 2^floor(log2 N) in all floor(log2 N) + 2 rounds
// and p log2 p + 2 (N-p) messages, and a rank that carries for another sends D bytes more.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/fold.h"

namespace rankscope {

void allreduce_bde(Communicator& comm, const Args& args) {
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
  if (fold.participants() > 1) {
    const auto phase = comm.phase("exchange");
    // Not reduced into data at once: data is still being sent.
    const Buffer received = comm.scratch(data.dtype(), data.count(), "received");
    for (int distance = 1; distance < fold.participants(); distance *= 2) {
      const Rank partner = fold.rank_of(fold.participant(rank) ^ distance);
      comm.sendrecv(partner, data, partner, received);
      // The lower rank's operand on the left on both sides, so that both get the same bits.
      if (rank < partner) comm.reduce(data, received, args.op);
      else comm.reduce_left(data, received, args.op);
    }
  }
  if (fold.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + 1, data);
  }
}

}  // namespace rankscope
