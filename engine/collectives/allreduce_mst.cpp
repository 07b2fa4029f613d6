// Minimum-spanning-tree allreduce: Chan et al. (2007), MST. The range of ranks is halved again and
// again; the far end of the other half is the partner. First up the tree, then down.
//
//   round         rank 0     rank 1     rank 2     rank 3
//   1 reduce      a+b        b -> 0     c -> 3     d+c
//   2 reduce      a+b+c+d                          -> 0
//   3 broadcast   x -> 3                           x
//   4 broadcast   x -> 1     x          x          x -> 2
//
// 2 ceil(log2 N) rounds, 2 (N-1) messages; rank 0 sends ceil(log2 N) D bytes, which no rank
// exceeds.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void allreduce_mst(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const RangeTree tree = halving_tree(comm, 0);
  {
    const auto phase = comm.phase("reduce");
    for (const auto& child : tree.children | std::views::reverse)
      comm.recv_reduce(child.rank, data, args.op);
    if (tree.parent >= 0) comm.send(tree.parent, data);
  }
  const auto phase = comm.phase("broadcast");
  if (tree.parent >= 0) comm.recv(tree.parent, data);
  for (const auto& child : tree.children) comm.send(child.rank, data);
}

}  // namespace rankscope
