// Hierarchical (two-level) all-to-all: first inside each group (host), to the rank whose place is the
// destination's, then between ranks of the same place in all groups. Few long messages go between hosts instead
// of many short ones; each block is sent twice. NCCL sends between hosts in this way (PXN); DeepSpeed's
// hierarchical all-to-all (Rajbhandari et al. 2022, "DeepSpeed-MoE"). Groups of 2 (0-1, 2-3), (b0: rank 0's
// chunk b), what ranks have for which group:
//
//   after      rank 0                rank 1                rank 2                rank 3
//   start      a0 b0 c0 d0           a1 b1 c1 d1           a2 b2 c2 d2           a3 b3 c3 d3
//   in group   a0 a1, c0 c1          b0 b1, d0 d1          a2 a3, c2 c3          b2 b3, d2 d3
//   between    a0 a1 a2 a3           b0 b1 b2 b3           c0 c1 c2 c3           d0 d1 d2 d3
//
// With groups of g, G = N/g of them: g-1 + G-1 rounds; every rank sends D (g-1)/g + D (G-1)/G bytes. All groups
// are equal: where the wanted size does not divide N, the next smaller one that does is taken (1 for a prime: a
// pairwise exchange).
#include "engine/collectives/algorithms.h"
#include "engine/collectives/alltoall_blocks.h"
#include "engine/collectives/groups.h"

namespace rankscope {

void alltoall_hierarchical(Communicator& comm, const Args& args) {
  const int g = equal_group_size(comm.size(), args.group_size), groups = comm.size() / g;
  const int group = comm.rank() / g, place = comm.rank() % g;
  AlltoallBlocks blocks(comm, args);
  const Partition room = Partition::uniform(blocks.longest() * g, groups);
  const Buffer gathered = comm.scratch(args.in.dtype(), room.count(), "gathered");
  const Buffer sent = comm.scratch(args.in.dtype(), blocks.longest() * groups, "sent");
  const Buffer received = comm.scratch(args.in.dtype(), room.count(), "received");
  // The blocks that this rank sends to its place in group `to`: one of each rank of its own group.
  const auto bundle = [&](int to) {
    return gathered[room[to]].first(g * blocks.count(to * g + place));
  };
  const auto gather = [&](int to, int from_place, const Slice& block) {
    comm.copy(bundle(to)[{from_place * block.count(), block.count()}], block);
  };
  {
    const auto phase = comm.phase("in group");
    for (int to : steps(groups)) gather(to, place, blocks.outgoing(to * g + place));
    for (int step = 1; step < g; ++step) {
      const int to_place = wrap(place + step, g), from_place = wrap(place - step, g);
      Range leaving, arriving;
      for (int to : steps(groups)) {
        const Slice block = blocks.outgoing(to * g + to_place);
        comm.copy(sent[{leaving.count, block.count()}], block);
        leaving.count += block.count();
        arriving.count += blocks.count(to * g + place);
      }
      comm.sendrecv(group * g + to_place, sent[leaving], group * g + from_place,
                    received[arriving]);
      for (int to : steps(groups)) {
        const Count block = blocks.count(to * g + place);
        gather(to, from_place, received[{arriving.offset, block}]);
        arriving.offset += block;
      }
    }
  }
  const auto phase = comm.phase("between groups");
  const Count own = blocks.count(comm.rank());
  const auto place_all = [&](int from, const Slice& all) {
    for (int i : steps(g)) blocks.place(from * g + i, all[{i * own, own}]);
  };
  place_all(group, bundle(group));
  for (int step = 1; step < groups; ++step) {
    const int to = wrap(group + step, groups), from = wrap(group - step, groups);
    const Slice all = received[{0, g * own}];
    comm.sendrecv(to * g + place, bundle(to), from * g + place, all);
    place_all(from, all);
  }
}

}  // namespace rankscope
