// Allreduce by rank 0: it collects what all ranks have, the last rank's first, adds up, and sends
// the sum to all.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_sum_a(Communicator& comm, const Args& args) {
  const int n = comm.size();
  if (comm.rank() == 0) {
    const auto slots = Partition::uniform(args.out.count(), n);
    const Buffer all = comm.scratch(args.out.dtype(), slots.count(), "all");
    comm.copy(all[slots[0]], args.out);
    for (int i = 1; i < n; ++i) comm.recv(n - i, all[slots[i]]);
    for (int i : steps(n - 1)) comm.reduce(args.out, all[slots[i]], args.op);
    for (Rank r = 1; r < n; ++r) comm.send(r, args.out);
  } else {
    comm.send(0, args.out);
    comm.recv(0, args.out);
  }
}

}  // namespace rankscope
