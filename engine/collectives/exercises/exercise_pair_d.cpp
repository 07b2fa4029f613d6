// Every rank gives its data to its right neighbour, and takes over those of the left one.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_pair_d(Communicator& comm, const Args& args) {
  if (comm.size() < 2) return;
  const Ring ring(comm);
  const auto phase = comm.phase("exchange");
  comm.send(ring.next(), args.in);
  comm.recv(ring.prev(), args.out);
}

}  // namespace rankscope
