// Rank 0 sends its message to rank 1.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_pair_b(Communicator& comm, const Args& args) {
  if (comm.size() < 2 || comm.rank() > 1) return;
  const Rank other = 1 - comm.rank();
  const auto phase = comm.phase("message");
  comm.send(other, args.out);
}

}  // namespace rankscope
