// Linear all-to-all: every rank sends to rank 0, then 1, 2, ...; and receives in the same order.
// All ranks begin with rank 0, so messages queue up there and the rounds are nearly twice as many
// as they need be.
//
//   round   rank 0     rank 1     rank 2     rank 3     (sends its chunk for that rank to it)
//   1       -> 1       -> 0
//   2       -> 2                  -> 0
//   3       -> 3       -> 2       -> 1       -> 0
//   4                  -> 3                  -> 1
//   5                             -> 3       -> 2
//
// 2N-3 rounds; every rank sends D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/alltoall_blocks.h"
#include "engine/collectives/pipeline.h"

namespace rankscope {

void alltoall_linear(Communicator& comm, const Args& args) {
  AlltoallBlocks blocks(comm, args);
  const auto phase = comm.phase("exchange");
  std::vector<Request> sent;
  for (Rank to = 0; to < comm.size(); ++to)
    if (to != comm.rank()) sent.push_back(comm.isend(to, blocks.outgoing(to)));
  blocks.place_own();
  for (Rank from = 0; from < comm.size(); ++from) {
    if (from == comm.rank()) continue;
    const Slice block = blocks.incoming(from);
    comm.recv(from, block);
    blocks.place(from, block);
  }
  wait_all(comm, sent);
}

}  // namespace rankscope
