// Two-level ring allreduce (rail rings): a ring reduce-scatter inside each group (host), then for each place in
// the groups a ring allreduce of its chunk across the groups, then a ring allgather inside each group. Each
// place's ring is a rail: on hosts with a network card for each GPU all rails are busy at once, and between
// hosts go D/g bytes per rank instead of D. Horovod's hierarchical allreduce (Sergeev, Del Balso 2018); Cho et
// al., "BlueConnect" (2019), for any number of levels. Groups of 2 (0-1, 2-3), chunks a b:
//
//   after              rank 0       rank 1       rank 2       rank 3
//   start              a0 b0        a1 b1        a2 b2        a3 b3
//   reduce-scatter     a0+a1        b0+b1        a2+a3        b2+b3
//   rails 0-2, 1-3     a            b            a            b            (summed over all)
//   allgather          a b          a b          a b          a b
//
// With groups of g, G = N/g of them: 2 (g-1) + 2 (G-1) rounds; every rank sends 2 D (g-1)/g + 2 D/g (G-1)/G
// = 2 D (N-1)/N bytes. Ranks behind the last whole group fold in and out: two rounds more, and who carries for
// one sends D bytes more.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/groups.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void allreduce_two_level_ring(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Rank rank = comm.rank();
  const WholeGroups groups(comm.size(), args.group_size);
  const int g = groups.size();
  // Both splits are calls of all ranks.
  auto group = comm.split(groups.sits_out(rank) ? -1 : rank / g, rank);
  auto rail = comm.split(groups.sits_out(rank) ? -1 : rank % g, rank);
  if (groups.sits_out(rank)) {
    const auto phase = comm.phase("fold");
    comm.send(rank - g, data);
    comm.recv(rank - g, data);
    return;
  }
  if (groups.carries(rank)) {
    const auto phase = comm.phase("fold in");
    comm.recv_reduce(rank + g, data, args.op);
  }
  const Partition chunks(data.count(), g);
  const Slice own = data[chunks[group->rank()]];
  {
    const auto phase = comm.phase("group reduce-scatter");
    ring_reduce_scatter(*group, data, chunks, args.op);
  }
  {
    const auto phase = comm.phase("rail allreduce");
    const Partition pieces(own.count(), rail->size());
    ring_reduce_scatter(*rail, own, pieces, args.op);
    ring_allgather(*rail, own, pieces);
  }
  {
    const auto phase = comm.phase("group allgather");
    ring_allgather(*group, data, chunks);
  }
  if (groups.carries(rank)) {
    const auto phase = comm.phase("fold out");
    comm.send(rank + g, data);
  }
}

}  // namespace rankscope
