// Distributed SGD: every rank has updated its own copy of the parameters with its own data; now
// all go on from the average of the copies.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_average_b(Communicator& comm, const Args& args) {
  Args to_server = args;
  to_server.root = 0;
  {
    const auto phase = comm.phase("collect parameters");
    reduce_binomial(comm, to_server);
  }
  const auto phase = comm.phase("send parameters");
  broadcast_binomial(comm, to_server);
}

}  // namespace rankscope
