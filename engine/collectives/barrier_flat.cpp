// Each rank sends rank 0 an empty message; when rank 0 has them all, it answers each rank. For four ranks:
//
//   round   1     2     3     4     5     6
//   0       <- 1  <- 2  <- 3  -> 1  -> 2  -> 3
//
// 2 (N-1) messages where dissemination has N log2 N: fewer, where the ranks share processors and every
// message is paid for by all of them. 2 (N-1) rounds; no bytes.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void barrier_flat(Communicator& comm, const Args&) {
  const auto phase = comm.phase("barrier");
  if (comm.rank() != 0) {
    comm.send(0, {});
    comm.recv(0, {});
    return;
  }
  for (Rank r = 1; r < comm.size(); ++r) comm.recv(r, {});
  for (Rank r = 1; r < comm.size(); ++r) comm.send(r, {});
}

}  // namespace rankscope
