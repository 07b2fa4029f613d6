// Hierarchical allreduce: reduce inside each group to its leader (the group's rank 0), allreduce
// among the leaders, broadcast inside each group.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/groups.h"

namespace rankscope {

void exercise_hierarchical_a(Communicator& comm, const Args& args) {
  const int size = group_size(comm.size(), args.group_size);
  auto group = comm.split(comm.rank() / size, comm.rank());
  Args to_leader = args;
  to_leader.root = 0;
  {
    const auto phase = comm.phase("group reduce");
    reduce_binomial(*group, to_leader);
  }
  if (group->rank() == 0) {
    const auto phase = comm.phase("leaders allreduce");
    auto leaders = comm.split(0, comm.rank());
    allreduce_bde(*leaders, to_leader);
  }
  const auto phase = comm.phase("group broadcast");
  broadcast_binomial(*group, to_leader);
}

}  // namespace rankscope
