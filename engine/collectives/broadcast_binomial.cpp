// Binomial-tree broadcast: Thakur, Rabenseifner, Gropp (2005), "Broadcast"; the minimum-spanning
// tree (MST) of Chan et al. (2007) with other pairs. Who has the data doubles every round.
//
//   round   rank 0 (root)   rank 1   rank 2   rank 3
//   1       x -> 2                   x
//   2       x -> 1          x        x -> 3   x
//
// ceil(log2 N) rounds; the root sends ceil(log2 N) D bytes, which no rank exceeds.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void broadcast_binomial(Communicator& comm, const Args& args) {
  const RangeTree tree = binomial_tree(comm, args.root);
  const auto phase = comm.phase("broadcast");
  if (tree.parent >= 0) comm.recv(tree.parent, args.out);
  for (const auto& child : tree.children) comm.send(child.rank, args.out);
}

}  // namespace rankscope
