// Tree allreduce, level by level: 2 ceil(log2 N) rounds, up to rank 0 and down again.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_tree_b(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int size = comm.size(), levels = ceil_log2(size);
  const Rank n = comm.rank();
  for (auto phase = comm.phase("up"); int level : steps(levels)) {
    const int distance = 1 << level;
    if (n % (2 * distance) == distance) comm.send(0, data);
    for (Rank child = distance; n == 0 && child < size; child += 2 * distance)
      comm.recv_reduce(child, data, args.op);
  }
  const auto phase = comm.phase("down");
  for (int distance = 1 << levels >> 1; distance >= 1; distance /= 2) {
    if (n % (2 * distance) == distance) comm.recv(0, data);
    for (Rank child = distance; n == 0 && child < size; child += 2 * distance)
      comm.send(child, data);
  }
}

}  // namespace rankscope
