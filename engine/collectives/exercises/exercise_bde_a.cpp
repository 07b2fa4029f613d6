// Bidirectional-exchange allreduce: in round k a rank exchanges all it has with the partner at
// distance 2^k, and both add.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_bde_a(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Rank rank = comm.rank();
  const Buffer received = comm.scratch(data.dtype(), data.count(), "received");
  const auto phase = comm.phase("exchange");
  for (int distance = 1; distance < comm.size(); distance *= 2) {
    const Rank partner = partner_at(rank, distance);
    if (partner >= comm.size()) continue;
    comm.sendrecv(partner, data, partner, received);
    if (rank < partner) comm.reduce(data, received, args.op);
    else comm.reduce_left(data, received, args.op);
  }
}

}  // namespace rankscope
