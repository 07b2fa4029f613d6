// Every rank sends to its right neighbour and receives from its left one, both at once. With a
// blocking send first on every rank this would hang wherever sends are not buffered.
//
//   step   rank 0     rank 1     rank 2     rank 3
//   1      out = in3  out = in0  out = in1  out = in2
//
// 1 round, D bytes sent by each rank. One rank alone keeps its own data.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void p2p_sendrecv(Communicator& comm, const Args& args) {
  if (comm.size() < 2) return;
  const auto phase = comm.phase("exchange");
  const Ring ring(comm);
  comm.sendrecv(ring.next(), args.in, ring.prev(), args.out);
}

}  // namespace rankscope
