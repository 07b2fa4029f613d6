// Generates the events of consecutive ring allreduces without running them.
#include "engine/run/job/made_up_run.h"

#include <algorithm>
#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr Count kChunk = 8;  // float32
constexpr std::size_t kBatchEvents = 512;

void define(EventBatch& batch, Definition::Kind kind, const char* name) {
  Definition definition;
  definition.kind = kind;
  definition.id = 1;
  definition.rank = batch.rank;
  definition.name = name;
  batch.definitions.push_back(std::move(definition));
}

}  // namespace

MadeUpRun::MadeUpRun() {
  for (Rank r = 0; r < kRanks; ++r) {
    auto& batch = batches_[static_cast<std::size_t>(r)];
    batch.rank = r;
    batch.epoch = 1;
    define(batch, Definition::Kind::comm, "world");
    define(batch, Definition::Kind::buffer, "data");
    batch.definitions.back().dtype = DType::float32;
    batch.definitions.back().extents = {kChunk * kRanks};
    define(batch, Definition::Kind::phase, "reduce-scatter");
    define(batch, Definition::Kind::site, "allreduce_ring");
  }
}

void MadeUpRun::step(const std::function<void(const EventBatch&)>& deliver) {
  for (Rank r = 0; r < kRanks; ++r) step_of(r);
  ++step_;
  deliver_from(kBatchEvents, deliver);
}

void MadeUpRun::finish(const std::function<void(const EventBatch&)>& deliver) {
  deliver_from(1, deliver);
}

void MadeUpRun::deliver_from(std::size_t events,
                             const std::function<void(const EventBatch&)>& deliver) {
  for (auto& batch : batches_) {
    if (batch.events.size() < events) continue;
    events_ += batch.events.size();
    deliver(batch);
    batch.clear();
  }
}

void MadeUpRun::step_of(Rank r) {
  const auto prev = (r + kRanks - 1) % kRanks;
  StepEvent event;
  event.comm = event.site = event.phase = 1;
  event.dtype = DType::float32;
  event.bytes = kChunk * 4;
  event.peer = (r + 1) % kRanks;
  event.op = make_op(r, 2 * step_ + 1);
  event.in_buffer = 1;
  event.in_offset =
      static_cast<std::uint64_t>((step_ + static_cast<unsigned>(r)) % kRanks) * event.bytes;
  put(r, event, EventKind::posted, Verb::send);
  put(r, event, EventKind::completed, Verb::send);
  event.peer = prev;
  event.op = make_op(r, 2 * step_ + 2);
  event.in_buffer = 0;
  event.in_offset = 0;
  event.out_buffer = 1;
  event.out_offset =
      static_cast<std::uint64_t>((step_ + static_cast<unsigned>(prev)) % kRanks) * event.bytes;
  put(r, event, EventKind::posted, Verb::recv_reduce);
  event.cause = make_op(prev, 2 * step_ + 1);
  put(r, event, EventKind::matched, Verb::recv_reduce);
  put(r, event, EventKind::completed, Verb::recv_reduce);
  event.cause = std::exchange(event.op, 0);
  put(r, event, EventKind::local, Verb::reduce);
}

void MadeUpRun::put(Rank r, StepEvent event, EventKind kind, Verb verb) {
  auto& batch = batches_[static_cast<std::size_t>(r)];
  auto& clock = clock_[static_cast<std::size_t>(r)];
  event.kind = kind;
  event.verb = verb;
  event.rank = r;
  event.epoch = 1;
  event.seq = seq_[static_cast<std::size_t>(r)]++;
  clock += 200 + static_cast<std::int64_t>(random_() % 2000);
  if (kind == EventKind::matched)  // ranks of a ring stay close together
    clock = std::max(clock, *ranges::max_element(clock_) - 5000);
  event.begin_ns = event.time_ns = clock;
  if (verb == Verb::reduce) {
    event.begin_ns -= 150;
    std::uint32_t values[kChunk + 1] = {kChunk * 4};
    for (Count i = 1; i <= kChunk; ++i) values[i] = static_cast<std::uint32_t>(random_());
    event.preview = static_cast<std::uint32_t>(batch.blobs.size() + 1);
    ByteWriter(batch.blobs).put(values);
  }
  batch.events.push_back(event);
}

}  // namespace rankscope
