// Swing allreduce: De Sensi, Bonato, Saam, Hoefler, "Swing: short-cutting rings for higher bandwidth
// allreduce" (NSDI 2024), the bandwidth-optimal version. As Rabenseifner's: halve, then double; but partners
// lie 1, 1, 3, 5, 11, ... ranks apart, to the right and to the left in turn, instead of 1, 2, 4, 8, 16. On a
// ring or a torus, messages pass fewer links. On 8 ranks:
//
//   step   partners                                                   chunks a rank still reduces
//   0      0-1, 2-3, 4-5, 6-7      even ranks to the right by 1       4
//   1      0-7, 2-1, 4-3, 6-5      even ranks to the left by 1        2
//   2      0-3, 2-5, 4-7, 6-1      even ranks to the right by 3       1
//   and back: 2, 1, 0              the same partners                  (has 2, 4, 8 reduced)
//
// 2 log2 N rounds and 2 D (N-1)/N bytes per rank when N is a power of two. The paper has a scheme of its own for
// other even numbers; here surplus ranks fold in and out (fold.h): 2 floor(log2 N) + 2 rounds, and with
// p = 2^floor(log2 N) a rank that carries for another sends 2 D (p-1)/p + D bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/fold.h"
#include "engine/collectives/swing.h"

namespace rankscope {

void allreduce_swing(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Fold fold(comm.size());
  const int p = fold.participants(), levels = floor_log2(p);
  const int self = fold.participant(comm.rank()), own = swing_position(self, p);
  const Partition part(data.count(), p);
  const auto partner = [&](int step) { return fold.rank_of(swing_partner(self, step, p)); };
  // The chunks that this rank, or its partner of the step, goes on to reduce.
  const auto half = [&](int step, bool kept) {
    const int length = p >> (step + 1), mine = own & ~(length - 1);
    const int first = kept ? mine : mine ^ length;
    return data[part.span(first, first + length)];
  };
  fold_around(comm, args, fold, [&] {
    for (auto phase = comm.phase("reduce-scatter"); int step : steps(levels)) {
      auto sent = comm.isend(partner(step), half(step, false));
      comm.recv_reduce(partner(step), half(step, true), args.op);
      comm.wait(sent);
    }
    for (auto phase = comm.phase("allgather"); int back : steps(levels)) {
      const int step = levels - 1 - back;
      comm.sendrecv(partner(step), half(step, true), partner(step), half(step, false));
    }
  });
}

}  // namespace rankscope
