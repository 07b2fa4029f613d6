// Ring allreduce: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations" (2009). Chunks a b c d; in the first phase a rank adds what it receives, in the
// second it keeps it. To the right, rank r starting with chunk r:
//
//   step                rank 0       rank 1       rank 2       rank 3      (sends; then adds/keeps)
//   reduce-scatter 1    a; d+=       b; a+=       c; b+=       d; c+=
//   reduce-scatter 2    d; c+=       a; d+=       b; a+=       c; b+=
//   reduce-scatter 3    c; b+=       d; c+=       a; d+=       b; a+=
//   has reduced         b            c            d            a
//   allgather 1         b; a         c; b         d; c         a; d
//   allgather 2         a; d         b; a         c; b         d; c
//   allgather 3         d; c         a; d         b; a         c; b
//
// 2 (N-1) rounds; every rank sends 2 D (N-1)/N bytes.
//
// With left_ring it is the homework's ring: at step i = 1, 2, ... rank n sends chunk (n+i-2) mod N
// to its left neighbour, and after the first phase rank n has chunk (n-2) mod N reduced.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void allreduce_ring(Communicator& comm, const Args& args) {
  const Slice data = args.out;  // starts as a copy of the input
  const Ring ring(comm, args.left_ring);
  const Partition part(data.count(), comm.size());
  const int phase_steps = comm.size() - 1;
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(phase_steps)) {
    auto sent = comm.isend(ring.next(), data[part[ring.chunk(step)]]);
    comm.recv_reduce(ring.prev(), data[part[ring.chunk(step + 1)]], args.op);
    comm.wait(sent);
  }
  for (auto phase = comm.phase("allgather"); int step : steps(phase_steps))
    comm.sendrecv(ring.next(), data[part[ring.chunk(phase_steps + step)]], ring.prev(),
                  data[part[ring.chunk(phase_steps + step + 1)]]);
}

}  // namespace rankscope
