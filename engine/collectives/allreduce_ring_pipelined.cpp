// Ring allreduce whose chunks travel in segments: a rank adds a segment from where the message lies
// and sends it on at once, while the next segment arrives. Segments stay in the cache between the
// two, and nobody waits for a whole chunk. With 2 segments per chunk (a1 a2, ...), what a rank sends:
//
//   step                rank 0       rank 1       rank 2       rank 3
//   reduce-scatter 1    a1 a2        b1 b2        c1 c2        d1 d2
//   reduce-scatter 2    d1 d2        a1 a2        b1 b2        c1 c2
//   reduce-scatter 3    c1 c2        d1 d2        a1 a2        b1 b2
//   allgather 1         b1 b2        c1 c2        d1 d2        a1 a2     (reduced; and so on)
//
// 2 (N-1) m rounds of 1/m the size for m segments per chunk; every rank sends 2 D (N-1)/N bytes.
#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"
#include "engine/collectives/ring.h"

namespace rankscope {

void allreduce_ring_pipelined(Communicator& comm, const Args& args) {
  const int phase_steps = comm.size() - 1;
  if (phase_steps == 0) return;
  const Slice data = args.out;
  const Ring ring(comm, args.left_ring);
  const Partition chunks(data.count(), comm.size());
  const auto bytes = or_default(args.segment_bytes, kRingSegmentBytes);
  const int per_chunk = segments(chunks.longest(), data.dtype(), bytes).parts();
  const auto segment = [&](int step, int k) {
    const Slice chunk = data[chunks[ring.chunk(step)]];
    return chunk[Partition(chunk.count(), per_chunk)[k]];
  };

  std::vector<Request> sent;  // by step, then segment
  const auto send = [&](int step, int k) {
    sent.push_back(comm.isend(ring.next(), segment(step, k)));
  };
  for (int k : steps(per_chunk)) send(0, k);
  for (auto phase = comm.phase("reduce-scatter"); int step : steps(phase_steps))
    for (int k : steps(per_chunk)) {
      comm.recv_reduce(ring.prev(), segment(step + 1, k), args.op);
      send(step + 1, k);
    }
  for (auto phase = comm.phase("allgather"); int step : steps(phase_steps))
    for (int k : steps(per_chunk)) {
      // Before the final values overwrite a partial sum, it must have left.
      comm.wait(sent[static_cast<std::size_t>(step * per_chunk + k)]);
      comm.recv(ring.prev(), segment(phase_steps + step + 1, k));
      if (step + 1 < phase_steps) send(phase_steps + step + 1, k);
    }
  wait_all(comm, sent);
}

}  // namespace rankscope
