// K-nomial-tree broadcast: as the binomial one, but each range of ranks is cut into up to k parts instead
// of two, and its root sends to the first rank of each other part. Wilkins et al., "Generalized collective
// algorithms for the exascale era" (2023); MPICH has it. The tree is flatter: fewer levels, more sends by
// each root, which pays where a rank's sends are on the way at once. For N = 4, with k = 3 (parts of 3 and
// 1 ranks, then of 1):
//
//   round   rank 0 (root)   rank 1   rank 2   rank 3
//   1       x -> 3                            x
//   2       x -> 2                   x
//   3       x -> 1          x
//
// (k-1) log_k N rounds when N is a power of k; the root sends as many times D bytes. Otherwise the first
// cut has fewer parts.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"
#include "engine/collectives/range_tree.h"

namespace rankscope {

void broadcast_knomial(Communicator& comm, const Args& args) {
  const RangeTree tree = knomial_tree(comm, args.root, args.radix);
  const auto phase = comm.phase("broadcast");
  if (tree.parent >= 0) comm.recv(tree.parent, args.out);
  std::vector<Request> sent;
  for (const auto& child : tree.children) sent.push_back(comm.isend(child.rank, args.out));
  wait_all(comm, sent);
}

}  // namespace rankscope
