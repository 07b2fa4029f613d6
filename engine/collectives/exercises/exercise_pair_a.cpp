// Rank 0 sends its message to rank 1, which hands it over in the output. Both ranks have a buffer
// for messages beside it.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_pair_a(Communicator& comm, const Args& args) {
  if (comm.size() < 2 || comm.rank() > 1) return;
  const Buffer message = comm.scratch(args.in.dtype(), args.in.count(), "message");
  comm.copy(message, args.in);
  const auto phase = comm.phase("send and receive");
  if (comm.rank() == 0) comm.send(1, message);
  else comm.recv(0, message);
}

}  // namespace rankscope
