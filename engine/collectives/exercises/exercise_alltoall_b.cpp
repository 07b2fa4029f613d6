// All-to-all of vectors: chunk i of every rank goes to rank i, which joins the chunks in rank
// order.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_alltoall_b(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Partition part(args.in.count(), n);
  const auto places = Partition::uniform(part[rank].count, n);
  const Buffer joined = comm.scratch(args.in.dtype(), places.count(), "joined");
  const auto phase = comm.phase("exchange");
  for (int step = 1; step < n; ++step) {
    const Rank to = wrap(rank + step, n), from = wrap(rank - step, n);
    comm.sendrecv(to, args.in[part[to]], from, joined[places[from]]);
  }
  comm.copy(args.out, joined);
}

}  // namespace rankscope
