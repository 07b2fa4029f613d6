// Binary-tree allreduce: in phase I partial sums go up the tree to rank 0, from partner to partner
// at distance 1, 2, 4 ...; in phase II the result comes down the same edges.
#include "engine/collectives/exercises/exercises.h"

namespace rankscope {

void exercise_tree_a(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int size = comm.size(), levels = ceil_log2(size);
  const Rank n = comm.rank();
  for (auto phase = comm.phase("I"); int level : steps(levels)) {
    const int distance = 1 << level;
    const Rank partner = partner_at(n, distance);
    if (partner < size) comm.send(partner, data);
    if (n % (2 * distance) == 0 && partner < size) comm.recv_reduce(partner, data, args.op);
  }
  const auto phase = comm.phase("II");
  for (int distance = 1 << levels >> 1; distance >= 1; distance /= 2) {
    if (n % (2 * distance) == distance) comm.recv(n - distance, data);
    if (n % (2 * distance) == 0 && n + distance < size) comm.send(n + distance, data);
  }
}

}  // namespace rankscope
