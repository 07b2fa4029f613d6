// Traces written event by event, for what threads do not do on demand, such as a receive without a message.
#pragma once

#include <utility>
#include <vector>

#include "engine/core/trace/trace_builder.h"

namespace rankscope::test {

class MadeUpRun {
 public:
  explicit MadeUpRun(int ranks) : batches_(static_cast<std::size_t>(ranks)), ops_(batches_.size()) {
    meta.world_size = ranks;
  }

  OpId post(Verb verb, Rank rank, Rank peer, std::int64_t time_ns, std::uint64_t bytes = 64) {
    const OpId op = make_op(rank, ++ops_[static_cast<std::size_t>(rank)]);
    put(EventKind::posted, verb, rank, peer, op, 0, time_ns, bytes);
    return op;
  }
  void receive(OpId recv, OpId send, std::int64_t time_ns, std::uint64_t bytes = 64) {
    const Rank rank = rank_of(recv), peer = rank_of(send);
    put(EventKind::matched, Verb::recv, rank, peer, recv, send, time_ns, bytes);
    put(EventKind::completed, Verb::recv, rank, peer, recv, send, time_ns, bytes);
  }
  /// A message whose receiver waits for it from the moment at which it is sent.
  void message(Rank from, Rank to, std::int64_t sent_ns, std::int64_t received_ns,
               std::uint64_t bytes = 64) {
    const OpId recv = post(Verb::recv, to, from, sent_ns, bytes);
    receive(recv, post(Verb::send, from, to, sent_ns, bytes), received_ns, bytes);
  }
  void work(Verb verb, Rank rank, std::int64_t begin_ns, std::int64_t end_ns) {
    auto& event = put(EventKind::local, verb, rank, -1, 0, 0, end_ns, 0);
    event.begin_ns = begin_ns;
  }
  void end(Rank rank, std::int64_t time_ns) {
    put(EventKind::job, Verb::job_end, rank, -1, 0, 0, time_ns, 0);
  }
  Trace trace() const { return make_trace(batches_, meta); }
  const std::vector<EventBatch>& batches() const noexcept { return batches_; }

  TraceMeta meta;

 private:
  StepEvent& put(EventKind kind, Verb verb, Rank rank, Rank peer, OpId op, OpId cause,
                 std::int64_t time_ns, std::uint64_t bytes) {
    auto& batch = batches_[static_cast<std::size_t>(rank)];
    StepEvent event;
    event.kind = kind;
    event.verb = verb;
    event.rank = rank;
    event.peer = peer;
    event.op = op;
    event.cause = cause;
    event.time_ns = event.begin_ns = time_ns;
    event.bytes = bytes;
    event.seq = static_cast<std::uint32_t>(batch.events.size());
    batch.rank = rank;
    batch.events.push_back(event);
    return batch.events.back();
  }

  std::vector<EventBatch> batches_;
  std::vector<std::uint64_t> ops_;
};

}  // namespace rankscope::test
