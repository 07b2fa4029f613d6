// Recursive multiplying allreduce: recursive doubling with groups of k ranks instead of pairs. Ruefenacht,
// Bull, Booth, "Generalisation of recursive doubling for allreduce: now with simulation" (2017). All ranks
// of a group send each other everything, and each reduces in the order of ranks. Fewer steps, each with
// k-1 messages that are on the way at once. With k = 3 on 6 ranks:
//
//   step    groups             rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
//   start                      a        b        c        d        e        f
//   by 3    0-1-2, 3-4-5       abc      abc      abc      def      def      def
//   by 2    0-3, 1-4, 2-5      a..f     a..f     a..f     a..f     a..f     a..f
//
// The last step multiplies by f < k where N is no power of k. With p = k^j f ranks that take part,
// j (k-1) + f - 1 rounds and as many times D bytes; surplus ranks fold in and out (fold.h): two rounds
// more, and a rank that carries for another sends D bytes more.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/direct.h"
#include "engine/collectives/fold.h"
#include "engine/collectives/radix.h"

namespace rankscope {

void allreduce_recursive_multiplying(Communicator& comm, const Args& args) {
  const auto factors = exchange_factors(comm.size(), radix_or_default(args.radix));
  const Fold fold(comm.size(), product_of(factors));
  fold_around(comm, args, fold, [&] {
    const auto phase = comm.phase("exchange");
    const int self = fold.participant(comm.rank());
    int distance = 1;
    for (const int factor : factors) {
      const int first = self - self / distance % factor * distance;
      std::vector<Rank> group;
      for (int i : steps(factor)) group.push_back(fold.rank_of(first + i * distance));
      exchange_with_all(comm, args.out, args.op, group);
      distance *= factor;
    }
  });
}

}  // namespace rankscope
