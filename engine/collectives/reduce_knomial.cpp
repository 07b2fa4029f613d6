// K-nomial-tree reduce: the k-nomial broadcast backwards. Wilkins et al., "Generalized collective
// algorithms for the exascale era" (2023). A root reduces what k-1 children send at the same time, one
// after the other. For N = 4, with k = 3 (parts of 3 and 1 ranks, then of 1):
//
//   round   rank 0 (root)   rank 1   rank 2   rank 3
//   1       a+b             b -> 0
//   2       a+b+c                    c -> 0
//   3       a+b+c+d                           d -> 0
//
// (k-1) log_k N rounds when N is a power of k; every rank but the root sends D bytes.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void reduce_knomial(Communicator& comm, const Args& args) {
  const RangeTree tree = knomial_tree(comm, args.root, args.radix);
  const auto phase = comm.phase("reduce");
  for (const auto& child : tree.children | std::views::reverse)  // small subtrees are ready first
    comm.recv_reduce(child.rank, args.out, args.op);
  if (tree.parent >= 0) comm.send(tree.parent, args.out);
}

}  // namespace rankscope
