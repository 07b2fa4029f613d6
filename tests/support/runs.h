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

/// On 4 ranks: sums on `strands` strands, while the main strand runs `beside`.
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

/// Returns a trace of three ranks of a program that should be the collective `as` (see `exec --as`), from its array
/// "mine" into "out", with two elements per message.
inline Trace mover(const std::string& as) {
  const auto meant = as.substr(0, as.find(':'));
  const bool spreads = meant == "scatter", collects = meant == "gather";
  const Count sent = meant == "alltoall" || spreads ? 6 : 2, received = spreads ? 2 : 6;
  TraceMeta meta;
  meta.world_size = 3;
  meta.handed.emplace().as = as;
  for (Rank rank = 0; rank < 3; ++rank) {
    Handed::Call call;
    call.rank = rank;
    for (Count e = 0; e < sent; ++e)
      call.begin["mine"].values.push_back(100.0 * rank + static_cast<double>(e));
    meta.handed->calls.push_back(call);
  }
  const auto body = [=](Communicator& comm) {
    const Rank rank = comm.rank();
    Buffer mine = ring_input(rank, sent);
    Buffer out = Buffer::of(std::vector<std::int64_t>(static_cast<std::size_t>(received), 0));
    const Count from = sent == 6 ? 2 * rank : 0, into = received == 6 ? 2 * rank : 0;
    for (int e : steps(2))
      out.as<std::int64_t>()[static_cast<std::size_t>(into + e)] =
          mine.as<std::int64_t>()[static_cast<std::size_t>(from + e)];
    if (!collects || rank != 0) comm.watch("mine", mine);
    if (!collects || rank == 0) comm.watch("out", out);
    for (int step : steps(2)) {
      const Rank to = wrap(rank + step + 1, 3), source = wrap(rank - step - 1, 3);
      const auto block = [&](Buffer& of, Rank peer) {
        return of[{of.count() == 6 ? 2 * peer : 0, 2}];
      };
      if (spreads && rank == 0) comm.send(step + 1, block(mine, step + 1));
      else if (spreads && rank == step + 1) comm.recv(0, block(out, rank));
      else if (collects && rank == 0) comm.recv(step + 1, block(out, step + 1));
      else if (collects && rank == step + 1) comm.send(0, block(mine, rank));
      else if (!spreads && !collects)
        comm.sendrecv(to, block(mine, to), source, block(out, source));
    }
  };
  return make_trace(record(3, body), meta);
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
