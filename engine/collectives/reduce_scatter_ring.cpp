// Ring reduce-scatter: Chan et al. (2007), bucket; Patarasuk, Yuan (2009). Partial sums travel
// around the ring and end at the rank that they belong to.
//
//   step   rank 0 sends, adds    rank 1              rank 2              rank 3
//   1      d -> 1, c += c3       a -> 2, d += d0     b -> 3, a += a1     c -> 0, b += b2
//   2      c -> 1, b += b32      d -> 2, c += c03    a -> 3, d += d10    b -> 0, a += a21
//   3      b -> 1, a += a321     c -> 2, b += b032   d -> 3, c += c103   a -> 0, d += d210
//   end    a                     b                   c                   d
//
// N-1 rounds; every rank sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void ring_reduce_scatter(Communicator& comm, Slice data, const Partition& part, ReduceOp op) {
  const Ring ring(comm);
  for (int step : steps(comm.size() - 1)) {
    // One step ahead of Ring's own count: rank r starts with chunk r - 1, so it ends with chunk r.
    auto sent = comm.isend(ring.next(), data[part[ring.chunk(step + 1)]]);
    comm.recv_reduce(ring.prev(), data[part[ring.chunk(step + 2)]], op);
    comm.wait(sent);
  }
}

void reduce_scatter_ring(Communicator& comm, const Args& args) {
  const Partition part(args.in.count(), comm.size());
  const auto phase = comm.phase("reduce-scatter");
  const Buffer work = comm.scratch(args.in.dtype(), args.in.count(), "work");
  comm.copy(work, args.in);
  ring_reduce_scatter(comm, work, part, args.op);
  comm.copy(args.out, work[part[comm.rank()]]);
}

}  // namespace rankscope
