// Small runs of SPMD code on threads, for tests of traces and of what is derived from them.
#pragma once

#include <functional>
#include <numeric>
#include <stdexcept>
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

/// 100 r, 100 r + 1 ...
inline Buffer ring_input(Rank rank, Count count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 100 * rank);
  return Buffer::of(values);
}
/// Throws unless it is the sum of the ring_input() of n ranks.
inline void check_ring_sum(const Buffer& data, int n) {
  const auto values = data.as<std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != n * static_cast<std::int64_t>(i) + 100 * (n * (n - 1) / 2))
      throw std::runtime_error("wrong sum");
}

/// On 4 ranks: sums on strands of their own, beside what the main strand does.
inline void check_strands(Communicator& comm, int strands, Count count, const Body& beside) {
  std::vector<Buffer> data;
  std::vector<Work> works;
  for (int k = 0; k < strands; ++k) {
    data.push_back(
        Buffer::of(std::vector<std::int64_t>(static_cast<std::size_t>(count), comm.rank() + k)));
    works.push_back(
        comm.start([buffer = data.back()](Communicator& c) mutable { ring_allreduce(c, buffer); }));
  }
  beside(comm);
  for (int k = 0; k < strands; ++k) {
    works[static_cast<std::size_t>(k)].wait();
    if (data[static_cast<std::size_t>(k)].as<std::int64_t>()[5] != 6 + 4 * k)
      throw std::runtime_error("wrong sum on a strand");
  }
}

/// Every rank watches its ring_input() as `data` and sums it over the ring.
inline Body ring_of(Count count, int times = 1) {
  return [=](Communicator& comm) {
    Buffer data = ring_input(comm.rank(), count);
    comm.watch("data", data);
    for (int i = 0; i < times; ++i) ring_allreduce(comm, data);
  };
}

}  // namespace rankscope::test
