// Double-binary-tree broadcast: Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan" (2009). The data is cut into segments; even ones go down the first tree, odd ones
// down the second. No rank but the root has children in both, so nobody sends more than it receives, and
// the depth grows with log N only. In a step nobody sends or receives two messages (double_tree.h). On 4
// ranks with root 0, segments a, b, c, d:
//
//   first tree    0 -> 2, 2 -> 1, 2 -> 3
//   second tree   0 -> 3, 3 -> 2, 3 -> 1
//
//   step   rank 0      rank 1    rank 2       rank 3      (sends)
//   0      a -> 2
//   1      b -> 3                a -> 1
//   2      c -> 2                a -> 3       b -> 1
//   3      d -> 3                c -> 1       b -> 2
//   4                            c -> 3       d -> 1
//   5                                         d -> 2
//
// At most m + 2 ceil(log2 N) rounds of D/m bytes for m segments; a rank sends D bytes, a few ranks less.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/double_tree.h"

namespace rankscope {

void broadcast_double_tree(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const DoubleTree trees(comm.size(), args.root);
  const Partition part = double_tree_segments(data.count(), data.dtype(), args.segment_bytes);
  const auto phase = comm.phase("broadcast");
  std::vector<Request> sending;
  for (const TreeMove& move :
       double_tree_moves(trees, comm.rank(), part.parts(), TreeDirection::down)) {
    const Slice segment = data[part[move.segment]];
    if (move.sends) sending.push_back(comm.isend(move.peer, segment));
    else comm.recv(move.peer, segment);
  }
  wait_all(comm, sending);
}

}  // namespace rankscope
