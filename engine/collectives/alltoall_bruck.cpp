// Bruck's all-to-all for short messages: Bruck et al. (1997); Thakur et al. (2005), "All-to-All".
// Slot j of a rank holds a block that has j ranks to the right still to go; in round k all slots
// with bit k set in j travel 2^k ranks, as one message. (d0: rank 0's chunk d)
//
//   round     rank 0          rank 1          rank 2          rank 3
//   turn      a0 b0 c0 d0     b1 c1 d1 a1     c2 d2 a2 b2     d3 a3 b3 c3
//   0         a0 a3 c0 c3     b1 b0 d1 d0     c2 c1 a2 a1     d3 d2 b3 b2     (slots 1, 3 by 1)
//   1         a0 a3 a2 a1     b1 b0 b3 b2     c2 c1 c0 c3     d3 d2 d1 d0     (slots 2, 3 by 2)
//   place     a0 a1 a2 a3     b0 b1 b2 b3     c0 c1 c2 c3     d0 d1 d2 d3
//
// ceil(log2 N) rounds; every rank sends D/N times the sum over j < N of the ones in j: half of
// D log2 N for powers of two.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/alltoall_blocks.h"

namespace rankscope {

void alltoall_bruck(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  AlltoallBlocks blocks(comm, args);
  const Partition room = Partition::uniform(blocks.longest(), n);
  const Buffer slots = comm.scratch(args.in.dtype(), room.count(), "slots");
  const Buffer sent = comm.scratch(args.in.dtype(), room.count(), "sent");
  const Buffer received = comm.scratch(args.in.dtype(), room.count(), "received");
  // After the rounds below 2^k = distance, slot j's block has j's higher bits to go: that gives its
  // destination, and with it its length.
  const auto slot = [&](int j, int distance) {
    const Rank destination = wrap(rank + (j & ~(distance - 1)), n);
    return slots[room[j]].first(blocks.count(destination));
  };

  for (auto phase = comm.phase("turn"); int j : steps(n))
    comm.copy(slot(j, 1), blocks.outgoing(wrap(rank + j, n)));
  for (int distance = 1; distance < n; distance *= 2) {
    const auto phase = comm.phase("exchange");
    Range out, in;  // what has been packed, and what will arrive
    for (int j : steps(n)) {
      if ((j & distance) == 0) continue;
      const Slice leaving = slot(j, distance);
      comm.copy(sent[{out.count, leaving.count()}], leaving);
      out.count += leaving.count();
      in.count += slot(j, 2 * distance).count();
    }
    comm.sendrecv(wrap(rank + distance, n), sent[out], wrap(rank - distance, n), received[in]);
    Count taken = 0;
    for (int j : steps(n)) {
      if ((j & distance) == 0) continue;
      const Slice arrived = slot(j, 2 * distance);
      comm.copy(arrived, received[{taken, arrived.count()}]);
      taken += arrived.count();
    }
  }
  for (auto phase = comm.phase("place"); int j : steps(n))
    blocks.place(wrap(rank - j, n), slot(j, 1 << ceil_log2(n)));
}

}  // namespace rankscope
