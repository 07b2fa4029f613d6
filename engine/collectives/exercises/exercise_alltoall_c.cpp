// All-to-all of vectors: chunk i of every rank goes to rank i, which joins the chunks in rank
// order. In step s each rank sends to the rank s places after it.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_alltoall_c(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Partition part(args.in.count(), n);
  const auto places = Partition::uniform(part[rank].count, n);
  const auto phase = comm.phase("exchange");
  comm.copy(args.out[places[rank]], args.in[part[rank]]);
  for (int step = 1; step < n; ++step) {
    const Rank to = wrap(rank + step, n), from = wrap(rank - step, n);
    comm.send(to, args.in[part[to]]);
    comm.recv(from, args.out[places[from]]);
  }
}

}  // namespace rankscope
