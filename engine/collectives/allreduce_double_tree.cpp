// Double-binary-tree allreduce: each segment is reduced up one of two trees and comes down the same one.
// Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan" (2009);
// NCCL has it since release 2.4 (Jeaugey, "Massively scale your deep learning training with NCCL 2.4",
// 2019). Even segments use the first tree, odd ones the second; no rank but the root, rank 0, has children
// in both, and in a step nobody sends or receives two messages (double_tree.h). On 4 ranks, segments a and b:
//
//   first tree    1, 3 -> 2 -> 0 (up), and back (down)
//   second tree   1, 2 -> 3 -> 0 (up), and back (down)
//
//   step        rank 0    rank 1    rank 2       rank 3      (sends; partial sums, then A and B whole)
//   up 0                            b -> 3       a -> 2
//   up 1                  b -> 3
//   up 1                  a -> 2
//   up 2                                         b -> 0
//   up 3                            a -> 0
//   down 0      A -> 2
//   down 1      B -> 3              A -> 1
//   down 2                          A -> 3       B -> 1
//   down 3                                       B -> 2
//
// At most 2 m + 4 ceil(log2 N) rounds of D/m bytes for m segments; a rank sends at most 2 D bytes: as fast as
// a ring for large messages, with a latency that grows with log N. NCCL's trees have two tops, ranks 0 and
// N-1 (or 1), and up and down go on at the same time; here rank 0 is above both.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/double_tree.h"

namespace rankscope {

void allreduce_double_tree(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const DoubleTree trees(comm.size(), 0);
  const Partition part = double_tree_segments(data.count(), data.dtype(), args.segment_bytes);
  const auto moves = [&](TreeDirection direction) {
    return double_tree_moves(trees, comm.rank(), part.parts(), direction);
  };
  std::vector<Request> sent;
  {
    const auto phase = comm.phase("reduce");
    for (const TreeMove& move : moves(TreeDirection::up)) {
      const Slice segment = data[part[move.segment]];
      if (move.sends) sent.push_back(comm.isend(move.peer, segment));
      else comm.recv_reduce(move.peer, segment, args.op);
    }
    wait_all(comm, sent);  // before results overwrite partial sums
  }
  const auto phase = comm.phase("broadcast");
  sent.clear();
  for (const TreeMove& move : moves(TreeDirection::down)) {
    const Slice segment = data[part[move.segment]];
    if (move.sends) sent.push_back(comm.isend(move.peer, segment));
    else comm.recv(move.peer, segment);
  }
  wait_all(comm, sent);
}

}  // namespace rankscope
