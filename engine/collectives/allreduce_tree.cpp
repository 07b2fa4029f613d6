// Binary-tree allreduce as a common homework has it: at step i = 1, 2, ... of phase I, rank n sends
// to rank n - 2^(i-1), for all n with n mod 2^i = 2^(i-1). Phase II runs the same edges backwards.
//
//   step            rank 0     rank 1     rank 2     rank 3
//   I, i = 1        a+b        b -> 0     c+d        d -> 2
//   I, i = 2        a+b+c+d               -> 0
//   II, i = 2       x -> 2                x
//   II, i = 1       x -> 1     x          x -> 3     x
//
// 2 ceil(log2 N) rounds, 2 (N-1) messages; rank 0 sends ceil(log2 N) D bytes, which no rank
// exceeds.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void allreduce_tree(Communicator& comm, const Args& args) {
  const Slice data = args.out;
  const int size = comm.size(), levels = ceil_log2(size);
  const Rank n = comm.rank();
  {
    const auto phase = comm.phase("I: reduce to the root");
    for (int i = 1; i <= levels; ++i) {
      const int distance = 1 << (i - 1);
      if (n % (2 * distance) == distance) comm.send(n - distance, data);
      if (n % (2 * distance) == 0 && n + distance < size)
        comm.recv_reduce(n + distance, data, args.op);
    }
  }
  const auto phase = comm.phase("II: broadcast from the root");
  for (int i = levels; i >= 1; --i) {
    const int distance = 1 << (i - 1);
    if (n % (2 * distance) == distance) comm.recv(n - distance, data);
    if (n % (2 * distance) == 0 && n + distance < size) comm.send(n + distance, data);
  }
}

}  // namespace rankscope
