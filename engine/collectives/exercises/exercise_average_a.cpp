// A data-parallel step: gradients are averaged over the ranks while the backward pass runs, and
// then every rank prints the gradient that all have agreed on.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_average_a(Communicator& comm, const Args& args) {
  const Slice gradient = args.out;
  {
    const auto phase = comm.phase("backward");
    allreduce_ring(comm, args);
    comm.scale(gradient, comm.size());
  }
  {
    const auto phase = comm.phase("gradients");
    allreduce_ring(comm, args);
  }
}

}  // namespace rankscope
