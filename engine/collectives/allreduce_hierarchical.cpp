// Hierarchical allreduce: reduce inside each group to its leader, allreduce among the leaders,
// broadcast inside each group. For groups (hosts) with fast links inside and slow links between.
// Groups of 2:
//
//   after        rank 0     rank 1     rank 2     rank 3
//   start        1          2          3          4
//   group        3          .          7          .
//   leaders      10         .          10         .
//   broadcast    10         10         10         10
//
// With groups of g, G = ceil(N/g) of them: 2 ceil(log2 g) rounds inside the groups and those of
// allreduce.bde on G ranks. All groups but perhaps the last have g ranks.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/groups.h"

namespace rankscope {

void allreduce_hierarchical(Communicator& comm, const Args& args) {
  const int size = group_size(comm.size(), args.group_size);
  // Both splits are calls of all ranks, also of those that will not lead.
  auto group = comm.split(comm.rank() / size, comm.rank());
  auto leaders = comm.split(group->rank() == 0 ? 0 : -1, comm.rank());

  Args to_leader = args;
  to_leader.root = 0;
  {
    const auto phase = comm.phase("group reduce");
    reduce_binomial(*group, to_leader);
  }
  if (leaders) {
    const auto phase = comm.phase("leaders allreduce");
    allreduce_bde(*leaders, to_leader);
  }
  const auto phase = comm.phase("group broadcast");
  broadcast_binomial(*group, to_leader);
}

}  // namespace rankscope
