// Pipelined chain broadcast: the data goes from rank to rank in m segments, and a rank passes a
// segment on while the next one arrives. Patarasuk, Faraj, Yuan, "Pipelined broadcast on Ethernet
// switched clusters" (2006). Here with segments a, b, c:
//
//   round   rank 0 (root)   rank 1   rank 2   rank 3
//   1       a ->            a
//   2       b ->            a ->     a
//   3       c ->            b ->     b        a ->    (rank 3 is the end: it only receives)
//   4                       c ->     c        b
//   5                                         c
//
// N-2 + m rounds; every rank but the last sends D bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"

namespace rankscope {

void broadcast_chain(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank next = wrap(comm.rank() + 1, n), prev = wrap(comm.rank() - 1, n);
  const Slice data = args.out;
  const Partition part =
      segments(data.count(), data.dtype(), or_default(args.segment_bytes, kChainSegmentBytes));

  const auto phase = comm.phase("broadcast");
  std::vector<Request> sending;
  for (int k : steps(part.parts())) {
    if (comm.rank() != args.root) comm.recv(prev, data[part[k]]);
    if (next != args.root) sending.push_back(comm.isend(next, data[part[k]]));
  }
  wait_all(comm, sending);
}

}  // namespace rankscope
