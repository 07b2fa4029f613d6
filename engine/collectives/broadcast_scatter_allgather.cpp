// Broadcast of long messages: scatter the chunks down a binomial tree, then collect them in a ring.
// Van de Geijn's algorithm: Chan et al. (2007), long vectors; Thakur et al. (2005), "Broadcast".
//
//   step         rank 0 (root)   rank 1    rank 2    rank 3
//   start        a b c d
//   scatter 1    -> 2            .         . . c d   .
//   scatter 2    -> 1            . b . .   -> 3      . . . d
//   ring 1       a . . d         a b . .   . b c .   . . c d     (of what each rank has for good)
//   ring 2       a . c d         a b . d   a b c .   . b c d
//   ring 3       a b c d         a b c d   a b c d   a b c d
//
// ceil(log2 N) + N-1 rounds; the root sends 2 D (N-1)/N bytes, which no rank exceeds.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void broadcast_scatter_allgather(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const Partition part(data.count(), comm.size());
  {
    const auto phase = comm.phase("scatter");
    const RangeTree tree = binomial_tree(comm, args.root);
    if (tree.parent >= 0) comm.recv(tree.parent, data[part.span(tree.first, tree.last)]);
    for (const auto& child : tree.children)
      comm.send(child.rank, data[part.span(child.first, child.last)]);
  }
  const auto phase = comm.phase("allgather");
  ring_allgather(comm, data, part);
}

}  // namespace rankscope
