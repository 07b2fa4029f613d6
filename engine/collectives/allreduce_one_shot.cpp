// One-shot (direct) allreduce: every rank sends everything to every other rank, and each reduces all of
// it by itself, in the order of ranks, so that all get the same bits. One step instead of many: the
// fastest for small messages where every rank has a fast link to every other one (NVLink, shared
// memory). TensorRT-LLM and vLLM call it one-shot.
//
//   after      rank 0       rank 1       rank 2       rank 3
//   start      a            b            c            d
//   exchange   a b c d      a b c d      a b c d      a b c d      (each in its own memory)
//   reduce     a+b+c+d      a+b+c+d      a+b+c+d      a+b+c+d
//
// All messages can be on their way at once; through one port they are N-1 rounds, and every rank sends
// (N-1) D bytes.
#include <numeric>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/direct.h"

namespace rankscope {

void allreduce_one_shot(Communicator& comm, const Args& args) {
  std::vector<Rank> all(static_cast<std::size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  const auto phase = comm.phase("exchange");
  exchange_with_all(comm, args.out, args.op, all);
}

}  // namespace rankscope
