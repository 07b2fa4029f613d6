// Every rank takes over the data of its left neighbour, and gives its own to the right one.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_pair_c(Communicator& comm, const Args& args) {
  if (comm.size() < 2) return;
  const Ring ring(comm);
  const auto phase = comm.phase("exchange");
  comm.recv(ring.prev(), args.out);
  comm.send(ring.next(), args.in);
}

}  // namespace rankscope
