// Ping-pong between ranks 0 and 1; the other ranks are idle. The time of a round trip, halved, is
// what the formula alpha + D * beta stands for.
//
//   step   rank 0              rank 1              ranks 2, 3
//   1      in0 ------------->  out = in0           -
//   2      out = in0  <------  out                 -
//
// 2 rounds, D bytes sent by each of the two.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void p2p_ping(Communicator& comm, const Args& args) {
  if (comm.size() < 2 || comm.rank() > 1) return;
  const auto phase = comm.phase("ping-pong");
  if (comm.rank() == 0) {
    comm.send(1, args.in);
    comm.recv(1, args.out);
  } else {
    comm.recv(0, args.out);
    comm.send(0, args.out);
  }
}

}  // namespace rankscope
