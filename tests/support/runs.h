// Small runs of SPMD code on threads, for tests of traces and of what is derived from them.
#pragma once

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/core/trace/trace_builder.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

using Body = std::function<void(Communicator&)>;

inline std::vector<EventBatch> record(int ranks, const Body& body,
                                      TraceLevel level = TraceLevel::full,
                                      SendMode mode = SendMode::buffered) {
  CollectingSink sink;
  InprocWorld world(ranks, &sink);
  RankSettings settings;
  settings.trace = level;
  settings.mode = mode;
  world.run(body, settings);
  return sink.take();
}

inline Trace trace_of(int ranks, const Body& body, TraceLevel level = TraceLevel::full,
                      SendMode mode = SendMode::buffered) {
  TraceMeta meta;
  meta.world_size = ranks;
  return make_trace(record(ranks, body, level, mode), meta);
}

inline void ring_allreduce(Communicator& comm, Buffer& data) {
  const Partition part(data.count(), comm.size());
  const int n = comm.size();
  const Rank next = wrap(comm.rank() + 1, n), prev = wrap(comm.rank() - 1, n);
  {
    auto phase = comm.phase("reduce-scatter");
    for (int step : steps(n - 1)) {
      auto sent = comm.isend(next, data[part[wrap(comm.rank() - step, n)]]);
      comm.recv_reduce(prev, data[part[wrap(comm.rank() - step - 1, n)]], ReduceOp::sum);
      comm.wait(sent);
    }
  }
  auto phase = comm.phase("allgather");
  for (int step : steps(n - 1))
    comm.sendrecv(next, data[part[wrap(comm.rank() + 1 - step, n)]], prev,
                  data[part[wrap(comm.rank() - step, n)]]);
}

/// Every rank watches `data` (rank r: 100 r, 100 r + 1 ...) and sums it over the ring.
inline Body ring_of(Count count, int times = 1) {
  return [=](Communicator& comm) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 100 * comm.rank());
    Buffer data = Buffer::of(values);
    comm.watch("data", data);
    for (int i = 0; i < times; ++i) ring_allreduce(comm, data);
  };
}

}  // namespace rankscope::test
