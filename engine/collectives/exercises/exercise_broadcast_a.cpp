// Flat broadcast: the root sends its data to every other rank.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_broadcast_a(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank source = wrap(args.root - 1, n);
  const auto phase = comm.phase("broadcast");
  if (comm.rank() != source) {
    comm.recv(source, args.out);
    return;
  }
  for (Rank r = 0; r < n; ++r)
    if (r != source) comm.send(r, args.out);
}

}  // namespace rankscope
