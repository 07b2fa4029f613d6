// All-to-all of arrays that are cut along dimension 0: chunk i goes to rank i, which joins the
// chunks that it gets, in rank order, along the gather dimension.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_alltoall_a(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Count row = args.in.shape().inner(0);
  const Partition rows(args.in.shape()[0], n);
  const auto outgoing = [&](Rank to) {
    return args.in[Range{rows[to].offset * row, rows[to].count * row}];
  };
  const auto places = Partition::uniform(rows[rank].count * row, n);
  const auto phase = comm.phase("exchange");
  comm.copy(args.out[places[rank]], outgoing(rank));
  for (int step = 1; step < n; ++step) {
    const Rank to = wrap(rank + step, n), from = wrap(rank - step, n);
    comm.sendrecv(to, outgoing(to), from, args.out[places[from]]);
  }
}

}  // namespace rankscope
