// Several buckets reduced at the same time, each by a ring on a strand of its own: while one bucket
// waits for a message, another one is added. What frameworks do with gradients that become ready
// one after the other (Li et al., "PyTorch Distributed", 2020). With 2 buckets:
//
//   strand       ranks 0 to 3
//   bucket 0     ring allreduce of the first half:    2 (N-1) rounds of D/(2N) bytes
//   bucket 1     ring allreduce of the second half:   the same, beside it
//
// 2 (N-1) rounds on each strand; every rank sends 2 D (N-1)/N bytes in all.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void allreduce_bucketed(Communicator& comm, const Args& args) {
  constexpr int kInFlight = 8;  // a strand is a thread
  const Slice data = args.out;
  const Partition buckets = bucket_partition(data.count(), data.dtype(), args.segment_bytes);
  std::vector<Work> works;
  for (int b : steps(buckets.parts())) {
    if (b >= kInFlight) works[static_cast<std::size_t>(b - kInFlight)].wait();
    works.push_back(comm.start([bucket = data[buckets[b]], op = args.op](Communicator& strand) {
      const Partition part(bucket.count(), strand.size());
      const auto phase = strand.phase("bucket");
      ring_reduce_scatter(strand, bucket, part, op);
      ring_allgather(strand, bucket, part);
    }));
  }
  for (auto& work : works) work.wait();
}

}  // namespace rankscope
