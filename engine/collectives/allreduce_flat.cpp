// Flat allreduce: rank 0 receives from every rank in rank order, adding, and sends the sum back to
// every rank.
//
//   step   rank 0       rank 1     rank 2     rank 3
//   1      1+2 = 3      2 ->
//   2      3+3 = 6                 3 ->
//   3      6+4 = 10                           4 ->
//   4      10 -> 1      10
//   5      10 -> 2                 10
//   6      10 -> 3                            10
//
// 2 (N-1) rounds; rank 0 sends (N-1) D bytes, every other rank D.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void allreduce_flat(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  if (comm.rank() != 0) {
    const auto phase = comm.phase("flat");
    comm.send(0, data);
    comm.recv(0, data);
    return;
  }
  {
    const auto phase = comm.phase("reduce");
    for (Rank r = 1; r < comm.size(); ++r) comm.recv_reduce(r, data, args.op);
  }
  const auto phase = comm.phase("broadcast");
  for (Rank r = 1; r < comm.size(); ++r) comm.send(r, data);
}

}  // namespace rankscope
