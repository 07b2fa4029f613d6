// Binomial-tree gather: Chan et al. (2007), MST. A rank collects the blocks of its subtree, which
// are consecutive, and passes them on as one message.
//
//   round   rank 0 (root)   rank 1   rank 2    rank 3
//   1       a b . .         b -> 0   c d       d -> 2
//   2       a b c d                  cd -> 0
//
// ceil(log2 N) rounds; with D the total, the busiest rank sends its subtree: D/2 bytes when N is a
// power of two.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void gather_binomial(Communicator& comm, const Args& args) {
  const RangeTree tree = binomial_tree(comm, args.root);
  const Partition blocks = Partition::uniform(args.in.count(), tree.last - tree.first);
  const auto phase = comm.phase("gather");
  const Buffer held = comm.rank() == args.root
                          ? args.out
                          : comm.scratch(args.in.dtype(), blocks.count(), "subtree");
  comm.copy(held[blocks[comm.rank() - tree.first]], args.in);
  for (const auto& child : tree.children | std::views::reverse)  // small subtrees are ready first
    comm.recv(child.rank, held[blocks.span(child.first - tree.first, child.last - tree.first)]);
  if (tree.parent >= 0) comm.send(tree.parent, held);
}

}  // namespace rankscope
