// Two-shot (direct) allreduce: every rank reduces one chunk, which it gets from everybody directly, and
// then sends it to everybody. Two steps on links between all ranks, with the bytes of a ring. TensorRT-LLM
// and vLLM call it two-shot.
//
//   after            rank 0         rank 1         rank 2         rank 3     (a3: rank 3's chunk a)
//   reduce-scatter   a0+a3+a2+a1    b1+b0+b3+b2    c2+c1+c0+c3    d3+d2+d1+d0
//   allgather        a b c d        a b c d        a b c d        a b c d
//
// All messages of a step can be on their way at once; through one port they are 2 (N-1) rounds, and every
// rank sends 2 D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"

namespace rankscope {

void allreduce_two_shot(Communicator& comm, const Args& args) {
  const Slice data = args.out;  // starts as a copy of the input
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Partition part(data.count(), n);
  std::vector<Request> sent;
  {
    const auto phase = comm.phase("reduce-scatter");
    for (int step = 1; step < n; ++step) {
      const Rank to = wrap(rank + step, n);
      sent.push_back(comm.isend(to, data[part[to]]));
    }
    for (int step = 1; step < n; ++step)
      comm.recv_reduce(wrap(rank - step, n), data[part[rank]], args.op);
    wait_all(comm, sent);  // what was sent is about to be overwritten
  }
  const auto phase = comm.phase("allgather");
  sent.clear();
  for (int step = 1; step < n; ++step)
    sent.push_back(comm.isend(wrap(rank + step, n), data[part[rank]]));
  for (int step = 1; step < n; ++step) {
    const Rank from = wrap(rank - step, n);
    comm.recv(from, data[part[from]]);
  }
  wait_all(comm, sent);
}

}  // namespace rankscope
