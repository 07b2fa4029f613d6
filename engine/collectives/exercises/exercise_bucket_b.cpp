// Allreduce in four buckets, so that one bucket's messages travel while another one is added.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_bucket_b(Communicator& comm, const Args& args) {
  constexpr int kBuckets = 4;
  const Partition buckets(args.out.count(), kBuckets);
  for (int b : steps(kBuckets)) {
    const Slice bucket = args.out[buckets[b]];
    const Partition chunks(bucket.count(), comm.size());
    const auto phase = comm.phase("bucket");
    ring_reduce_scatter(comm, bucket, chunks, args.op);
    ring_allgather(comm, bucket, chunks);
  }
}

}  // namespace rankscope
