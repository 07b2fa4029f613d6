// PAT allgather (parallel aggregated trees): Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter
// operations at scale" (2025); in NCCL since release 2.23. Every block goes down a binomial tree of its own, as
// in Bruck's algorithm, but the far ranks come first: few blocks travel far, many travel near. A message has at
// most A blocks, so that buffers stay small: A trees go on at once, each one rank at a time. On 4 ranks, with
// A = 2 (as many as there can be), what a rank has:
//
//   step           rank 0      rank 1      rank 2      rank 3
//   start          a           b           c           d
//   2 further      a c         b d         c a         d b
//   1 further      a c d b     b d a c     c a b d     d b c a
//
// log2 A + P/A - 1 rounds, with P the first power of two from N on: ceil(log2 N) for A = P/2, N-1 for A = 1. Every
// rank sends (N-1)/N of all data. The order of ranks within a tree is ours.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pat.h"
#include "engine/collectives/pipeline.h"

namespace rankscope {

void allgather_pat(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Rank rank = comm.rank();
  const Count block = args.in.count();
  const Partition blocks = Partition::uniform(block, n);
  const int aggregation =
      pat_aggregation(n, args.in.bytes(), or_default(args.segment_bytes, kPatMessageBytes));
  const Partition places = Partition::uniform(block, aggregation);
  const Buffer sent = comm.scratch(args.in.dtype(), places.count(), "sent");
  const Buffer received = comm.scratch(args.in.dtype(), places.count(), "received");
  const auto block_at = [&](int offset) { return args.out[blocks[wrap(rank - offset, n)]]; };

  const auto phase = comm.phase("trees");
  comm.copy(block_at(0), args.in);
  for (const PatStep& step : pat_steps(n, aggregation)) {
    const int count = static_cast<int>(step.offsets.size());
    for (int i : steps(count))
      comm.copy(sent[places[i]], block_at(step.offsets[static_cast<std::size_t>(i)]));
    comm.sendrecv(wrap(rank + step.distance, n), sent[places.span(0, count)],
                  wrap(rank - step.distance, n), received[places.span(0, count)]);
    for (int i : steps(count))
      comm.copy(block_at(step.offsets[static_cast<std::size_t>(i)] + step.distance),
                received[places[i]]);
  }
}

}  // namespace rankscope
