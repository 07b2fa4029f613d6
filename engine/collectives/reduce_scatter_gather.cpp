// Reduce of long vectors: reduce-scatter in a ring, then gather the chunks at the root (Chan et al.
// 2007, long vectors). In the registry: "reduce.scatter_gather".
//
//   after            rank 0 (root)   rank 1     rank 2     rank 3     (A: chunk a summed over all)
//   start            a b c d         a b c d    a b c d    a b c d
//   reduce-scatter   A . . .         . B . .    . . C .    . . . D
//   gather           A B C D
//
// N-1 + ceil(log2 N) rounds; the ring costs every rank D (N-1)/N bytes, the gather up to D/2 more.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void reduce_scatter_gather(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Partition part(data.count(), comm.size());
  {
    const auto phase = comm.phase("reduce-scatter");
    ring_reduce_scatter(comm, data, part, args.op);
  }
  const auto phase = comm.phase("gather");
  const RangeTree tree = binomial_tree(comm, args.root);
  for (const auto& child : tree.children | std::views::reverse)
    comm.recv(child.rank, data[part.span(child.first, child.last)]);
  if (tree.parent >= 0) comm.send(tree.parent, data[part.span(tree.first, tree.last)]);
}

}  // namespace rankscope
