// Binomial-tree scatter: Chan et al. (2007), MST. A rank gets the chunks of its whole subtree,
// keeps its own and passes the others on.
//
//   round   rank 0 (root)   rank 1   rank 2    rank 3
//   1       cd -> 2                  c d
//   2       b -> 1          b        d -> 3    d
//
// ceil(log2 N) rounds; the root sends D (N-1)/N bytes, which no rank exceeds.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void scatter_binomial(Communicator& comm, const Args& args) {
  const RangeTree tree = binomial_tree(comm, args.root);
  const int ranks = tree.last - tree.first;
  const auto phase = comm.phase("scatter");
  Slice held = args.in;
  Buffer subtree;  // owns what `held` shows on other ranks than the root
  if (tree.parent >= 0) {
    // Only the root knows the total. Chunks differ by one element at most, so there is a bound.
    subtree = comm.scratch(args.out.dtype(), (args.out.count() + 1) * ranks, "subtree");
    const Received got = comm.recv(tree.parent, subtree);
    held = subtree.all().first(static_cast<Count>(got.bytes / dtype_size(args.out.dtype())));
  }
  // Longer chunks come first in the whole partition, hence also in any run of ranks: a subtree's
  // chunks are a partition of what its head holds.
  const Partition part(held.count(), ranks);
  for (const auto& child : tree.children)
    comm.send(child.rank, held[part.span(child.first - tree.first, child.last - tree.first)]);
  comm.copy(args.out, held[part[comm.rank() - tree.first]]);
}

}  // namespace rankscope
