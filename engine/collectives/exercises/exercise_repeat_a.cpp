// Allreduce, three times over so that its time can be averaged.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_repeat_a(Communicator& comm, const Args& args) {
  constexpr int kTrials = 3;
  for ([[maybe_unused]] int trial : steps(kTrials)) {
    const auto phase = comm.phase("trial");
    allreduce_ring(comm, args);
  }
}

}  // namespace rankscope
