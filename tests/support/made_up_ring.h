// The events of a ring allreduce of any length, made without running it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/trace/event.h"
#include "engine/core/trace/trace.h"

namespace rankscope::test {

/// Each step of a rank is seven events: a send to the next rank (posted, completed), a receive from the
/// previous one (posted, waited for, matched, completed) and a reduction with contents.
class MadeUpRing {
 public:
  static constexpr int kEventsAStep = 7;
  static constexpr Count kChunk = 4;  ///< float32
  static constexpr std::int64_t kStep_ns = 8000;

  explicit MadeUpRing(int ranks)
      : ranks_(ranks),
        batches_(static_cast<std::size_t>(ranks)),
        seq_(static_cast<std::size_t>(ranks), 0) {
    for (Rank r = 0; r < ranks; ++r) introduce(r);
  }

  static TraceMeta meta(int ranks) {
    TraceMeta meta;
    meta.world_size = ranks;
    meta.algorithm = "allreduce.ring";
    meta.sources = {{"ring.cpp", "while (more) {\n  send(next);\n  recv(prev);\n  reduce();\n}\n"}};
    meta.complete = true;
    return meta;
  }

  /// One step of every rank; batches of at least `at_least` events go to `sink`.
  void step(EventSink& sink, std::size_t at_least = 512) {
    for (Rank r = 0; r < ranks_; ++r) step_of(r);
    ++step_;
    hand_over(sink, at_least);
  }
  /// Makes at least `events` events, and delivers all of them.
  void run(EventSink& sink, std::uint64_t events) {
    while (made_ < events) step(sink);
    hand_over(sink, 0);
  }
  std::uint64_t made() const noexcept { return made_; }

 private:
  void introduce(Rank r) {
    EventBatch& batch = batches_[static_cast<std::size_t>(r)];
    batch.rank = r;
    batch.epoch = 1;
    define(batch, Definition::Kind::comm, 1, "world");
    define(batch, Definition::Kind::buffer, 1, "data");
    batch.definitions.back().dtype = DType::float32;
    batch.definitions.back().extents = {kChunk * ranks_};
    define(batch, Definition::Kind::phase, 1, "around the ring");
    for (std::uint32_t line = 1; line <= 3; ++line) {
      define(batch, Definition::Kind::site, line, "ring");
      batch.definitions.back().file = "ring.cpp";
      batch.definitions.back().line = line + 1;
    }
  }

  static void define(EventBatch& batch, Definition::Kind kind, std::uint32_t id, const char* name) {
    Definition definition;
    definition.kind = kind;
    definition.id = id;
    definition.rank = batch.rank;
    definition.name = name;
    batch.definitions.push_back(std::move(definition));
  }

  // Makes a step, at times that differ a little by rank and step, in causal order.
  void step_of(Rank r) {
    const auto prev = static_cast<Rank>((r + ranks_ - 1) % ranks_);
    const auto lag = [&](Rank rank) {
      return static_cast<std::int64_t>((step_ * 7 + static_cast<unsigned>(rank) * 13) % 61) * 10;
    };
    const std::int64_t begin = static_cast<std::int64_t>(step_) * kStep_ns;
    const std::int64_t sent = begin + 100 + lag(r);
    const std::int64_t arrives = std::max(sent + 400, begin + 2100 + lag(prev));
    const std::uint64_t bytes = kChunk * 4;
    StepEvent event;
    event.comm = event.phase = 1;
    event.dtype = DType::float32;
    event.bytes = bytes;
    event.peer = (r + 1) % ranks_;
    event.op = make_op(r, 2 * step_ + 1);
    event.in_buffer = event.site = 1;
    event.in_offset = (step_ + static_cast<unsigned>(r)) % static_cast<unsigned>(ranks_) * bytes;
    put(r, event, EventKind::posted, Verb::send, sent, sent);
    put(r, event, EventKind::completed, Verb::send, sent + 200, sent + 200);
    event.peer = prev;
    event.op = make_op(r, 2 * step_ + 2);
    event.site = 2;
    event.in_buffer = 0;
    event.in_offset = 0;
    event.out_buffer = 1;
    event.out_offset =
        (step_ + static_cast<unsigned>(prev)) % static_cast<unsigned>(ranks_) * bytes;
    put(r, event, EventKind::posted, Verb::recv_reduce, sent + 300, sent + 300);
    StepEvent waited;
    waited.site = 2;
    waited.phase = waited.comm = 1;
    waited.cause = event.op;
    put(r, waited, EventKind::local, Verb::wait, sent + 300, arrives);
    event.cause = make_op(prev, 2 * step_ + 1);
    put(r, event, EventKind::matched, Verb::recv_reduce, arrives, arrives);
    put(r, event, EventKind::completed, Verb::recv_reduce, arrives + 100, arrives + 100);
    event.cause = std::exchange(event.op, 0);
    event.site = 3;
    put(r, event, EventKind::local, Verb::reduce, arrives + 100, arrives + 600);
  }

  void put(Rank r, StepEvent event, EventKind kind, Verb verb, std::int64_t begin,
           std::int64_t end) {
    auto& batch = batches_[static_cast<std::size_t>(r)];
    event.kind = kind;
    event.verb = verb;
    event.rank = r;
    event.epoch = 1;
    event.seq = seq_[static_cast<std::size_t>(r)]++;
    event.begin_ns = begin;
    event.time_ns = end;
    if (verb == Verb::reduce) {
      std::array<std::uint32_t, kChunk + 1> values{kChunk * 4};
      for (Count i = 1; i <= kChunk; ++i)  // floats between 1 and 2
        values[static_cast<std::size_t>(i)] =
            0x3f800000U +
            static_cast<std::uint32_t>((step_ + static_cast<unsigned>(i)) % 0x7fffffU);
      event.preview = static_cast<std::uint32_t>(batch.blobs.size() + 1);
      ByteWriter(batch.blobs).put(values);
    }
    batch.events.push_back(event);
    ++made_;
  }

  void hand_over(EventSink& sink, std::size_t at_least) {
    for (auto& batch : batches_) {
      if (batch.empty() || batch.events.size() < at_least) continue;
      EventBatch full;
      full.rank = batch.rank;
      full.epoch = batch.epoch;
      std::swap(full, batch);
      sink.deliver(std::move(full));
    }
  }

  int ranks_;
  std::vector<EventBatch> batches_;
  std::vector<std::uint32_t> seq_;
  std::uint64_t step_ = 0, made_ = 0;
};

}  // namespace rankscope::test
