// Dissemination barrier: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization"
// (1988). After round k a rank has heard, directly or not, from the 2^(k+1) - 1 ranks before it.
//
//   round   rank 0          rank 1          rank 2          rank 3
//   0       to 1, from 3    to 2, from 0    to 3, from 1    to 0, from 2
//   1       to 2, from 2    to 3, from 3    to 0, from 0    to 1, from 1
//
// ceil(log2 N) rounds of empty messages.
#include "engine/collectives/algorithms.h"

namespace rankscope {

void barrier_dissemination(Communicator& comm, const Args&) {
  const int n = comm.size();
  const auto phase = comm.phase("barrier");
  for (int distance = 1; distance < n; distance *= 2)
    comm.sendrecv(wrap(comm.rank() + distance, n), {}, wrap(comm.rank() - distance, n), {});
}

}  // namespace rankscope
