// PAT reduce-scatter (parallel aggregated trees): the allgather backwards. Jeaugey, "PAT: a new algorithm for
// all-gather and reduce-scatter operations at scale" (2025); in NCCL since release 2.23. Every chunk is reduced
// up a binomial tree of its own, near ranks first; a message has partial sums of at most A chunks, and at no time
// are there more than A (1 + log2(P/A)) of them, with P the power of two from N on: memory that does not grow
// with the data. On 4 ranks, with A = 2 (as many as there can be), partial sums by what went into them:
//
//   step         rank 0           rank 1           rank 2           rank 3
//   1 before     a 0+1, c 0+1     b 1+2, d 1+2     c 2+3, a 2+3     d 3+0, b 3+0
//   2 before     a of all         b of all         c of all         d of all
//
// log2 A + P/A - 1 rounds: ceil(log2 N) for A = P/2, N-1 for A = 1. Every rank sends D (N-1)/N bytes. The order
// of ranks within a tree is ours.
#include <ranges>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/pipeline.h"

namespace rankscope {
namespace {

// Partial sums of the chunks of ranks before this one, by how far before. Those of one tree that are there at the same
// time differ in their lowest bits.
class PartialSums {
 public:
  PartialSums(Communicator& comm, const Args& args, int aggregation)
      : comm_(comm),
        in_(args.in),
        chunks_(args.in.count(), comm.size()),
        tree_((1 << ceil_log2(comm.size())) / aggregation),
        aggregation_(aggregation),
        places_(Partition::uniform(chunks_.longest(), aggregation * (1 + floor_log2(tree_)))),
        sums_(comm.scratch(args.in.dtype(), places_.count(), "partial sums")),
        begun_(static_cast<std::size_t>(comm.size())) {}

  /// The chunk that belongs to the rank `offset` before this one, which begins with this rank's own part.
  Slice at(int offset) {
    const int x = offset % tree_, level = x == 0 ? 0 : 1 + floor_log2(x & -x);
    const Range chunk = chunks_[wrap(comm_.rank() - offset, comm_.size())];
    const Slice sum = sums_[places_[level * aggregation_ + offset / tree_]].first(chunk.count);
    if (!begun_[static_cast<std::size_t>(offset)]) comm_.copy(sum, in_[chunk]);
    begun_[static_cast<std::size_t>(offset)] = true;
    return sum;
  }
  Count longest() const noexcept { return chunks_.longest(); }

 private:
  Communicator& comm_;
  const Buffer in_;
  Partition chunks_;
  int tree_, aggregation_;
  Partition places_;
  Buffer sums_;
  std::vector<bool> begun_;
};

}  // namespace

void reduce_scatter_pat(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Count longest = Partition(args.in.count(), n).longest();
  const int aggregation =
      pat_aggregation(n, static_cast<std::uint64_t>(longest) * dtype_size(args.in.dtype()),
                      or_default(args.segment_bytes, kPatMessageBytes));
  PartialSums sums(comm, args, aggregation);
  const Buffer sent = comm.scratch(args.in.dtype(), longest * aggregation, "sent");
  const Buffer received = comm.scratch(args.in.dtype(), longest * aggregation, "received");

  const auto phase = comm.phase("trees");
  const auto all_steps = pat_steps(n, aggregation);
  for (const PatStep& step : all_steps | std::views::reverse) {
    Range leaving, arriving;
    for (const int offset : step.offsets) {
      const Slice sum = sums.at(offset + step.distance);
      comm.copy(sent[{leaving.count, sum.count()}], sum);
      leaving.count += sum.count();
      arriving.count += sums.at(offset).count();
    }
    comm.sendrecv(wrap(comm.rank() - step.distance, n), sent[leaving],
                  wrap(comm.rank() + step.distance, n), received[arriving]);
    Count taken = 0;
    for (const int offset : step.offsets) {
      const Slice sum = sums.at(offset);
      comm.reduce(sum, received[{taken, sum.count()}], args.op);
      taken += sum.count();
    }
  }
  comm.copy(args.out, sums.at(0));
}

}  // namespace rankscope
