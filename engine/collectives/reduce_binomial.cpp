// Binomial-tree reduce: the broadcast backwards. Thakur et al. (2005), "Reduce and Allreduce"; Chan
// et al. (2007), MST. A rank sends once, after it has received from all its children.
//
//   round   rank 0 (root)   rank 1   rank 2   rank 3
//   1       a+b             b -> 0   c+d      d -> 2
//   2       a+b+c+d                  -> 0
//
// ceil(log2 N) rounds; every rank but the root sends D bytes.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void reduce_binomial(Communicator& comm, const Args& args) {
  const RangeTree tree = binomial_tree(comm, args.root);
  const auto phase = comm.phase("reduce");
  for (const auto& child : tree.children | std::views::reverse)  // small subtrees are ready first
    comm.recv_reduce(child.rank, args.out, args.op);
  if (tree.parent >= 0) comm.send(tree.parent, args.out);
}

}  // namespace rankscope
