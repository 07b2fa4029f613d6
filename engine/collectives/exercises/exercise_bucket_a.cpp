// Allreduce in buckets of four elements, all of them under way at the same time, each on a strand
// of its own.
#include "engine/collectives/exercises/exercises.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void exercise_bucket_a(Communicator& comm, const Args& args) {
  constexpr Count kLength = 4;
  const Slice data = args.out;
  std::vector<Work> works;
  for (Count bucket = 0; bucket < data.count() / kLength; ++bucket)
    works.push_back(comm.start(
        [part = data[Range{bucket * kLength, kLength}], op = args.op](Communicator& strand) {
          const auto phase = strand.phase("bucket");
          const Partition chunks(part.count(), strand.size());
          ring_reduce_scatter(strand, part, chunks, op);
          ring_allgather(strand, part, chunks);
        }));
  for (auto& work : works) work.wait();
}

}  // namespace rankscope
