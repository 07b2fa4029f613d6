// Hierarchical allreduce: first inside each group, then among the groups' leaders (their ranks 0),
// whose result goes to their groups.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/groups.h"

namespace rankscope {

void exercise_hierarchical_b(Communicator& comm, const Args& args) {
  const int size = group_size(comm.size(), args.group_size);
  auto group = comm.split(comm.rank() / size, comm.rank());
  auto leaders = comm.split(group->rank() == 0 ? 0 : -1, comm.rank());
  Args from_leader = args;
  from_leader.root = 0;
  {
    const auto phase = comm.phase("group");
    allreduce_bde(*group, from_leader);
  }
  if (leaders) {
    const auto phase = comm.phase("leaders");
    allreduce_bde(*leaders, from_leader);
  }
  const auto phase = comm.phase("broadcast");
  broadcast_binomial(*group, from_leader);
}

}  // namespace rankscope
