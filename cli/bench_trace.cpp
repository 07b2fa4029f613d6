#include "cli/bench_trace.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/core/trace_builder.h"
#include "engine/core/trace_file.h"

namespace rankscope::cli {
namespace {

constexpr int kRanks = 8;
constexpr Count kChunk = 8;  // float32
constexpr std::size_t kBatchEvents = 512;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// The events of rings after each other, in batches as workers send them.
class MadeUpRun {
 public:
  MadeUpRun() {
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

  /// One step of every rank: send to the next, receive and reduce from the previous one. Batches
  /// that are full go to `deliver`.
  template <class Deliver>
  void step(Deliver&& deliver) {
    for (Rank r = 0; r < kRanks; ++r) step_of(r);
    ++step_;
    for (auto& batch : batches_) {
      if (batch.events.size() < kBatchEvents) continue;
      events_ += batch.events.size();
      deliver(encode(batch));
      batch.clear();
    }
  }
  std::uint64_t delivered() const noexcept { return events_; }

 private:
  static void define(EventBatch& batch, Definition::Kind kind, const char* name) {
    Definition definition;
    definition.kind = kind;
    definition.id = 1;
    definition.rank = batch.rank;
    definition.name = name;
    batch.definitions.push_back(std::move(definition));
  }

  void step_of(Rank r) {
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

  void put(Rank r, StepEvent event, EventKind kind, Verb verb) {
    auto& batch = batches_[static_cast<std::size_t>(r)];
    auto& clock = clock_[static_cast<std::size_t>(r)];
    event.kind = kind;
    event.verb = verb;
    event.rank = r;
    event.epoch = 1;
    event.seq = seq_[static_cast<std::size_t>(r)]++;
    clock += 200 + static_cast<std::int64_t>(random_() % 2000);
    if (kind == EventKind::matched)  // ranks of a ring stay close together
      clock = std::max(clock, *std::ranges::max_element(clock_) - 5000);
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

  std::array<EventBatch, kRanks> batches_;
  std::array<std::int64_t, kRanks> clock_{};
  std::array<std::uint32_t, kRanks> seq_{};
  std::uint64_t step_ = 0, events_ = 0;
  std::minstd_rand random_;
};

void record(std::uint64_t events, const std::filesystem::path& path, TraceBenchResult& result) {
  using Clock = std::chrono::steady_clock;
  TraceMeta meta;
  meta.world_size = kRanks;
  MadeUpRun run;
  double seconds = 0;
  auto begin = Clock::now();
  TraceWriter writer(path, meta);
  seconds += seconds_since(begin);
  while (run.delivered() < events) {
    run.step([&](const Bytes& wire) {
      const auto received = Clock::now();
      writer.deliver(decode_batch(wire));
      seconds += seconds_since(received);
    });
  }
  begin = Clock::now();
  writer.close(meta);
  seconds += seconds_since(begin);
  result.events = writer.events();
  result.file_bytes = writer.bytes_written();
  result.recorded_per_s = static_cast<double>(result.events) / seconds;
}

void watch_live(std::uint64_t events, TraceBenchResult& result) {
  using Clock = std::chrono::steady_clock;
  MadeUpRun run;
  TraceBuilder builder;
  std::uint64_t next = events / 20;
  while (run.delivered() < events) {
    run.step([&](const Bytes& wire) {
      const auto received = Clock::now();
      builder.deliver(decode_batch(wire));
      result.live_append_s += seconds_since(received);
    });
    if (run.delivered() < next) continue;
    next += events / 20;
    const auto begin = Clock::now();
    const Trace trace = builder.snapshot();
    result.live_snapshot_worst_s = std::max(result.live_snapshot_worst_s, seconds_since(begin));
  }
}

}  // namespace

TraceBenchResult bench_trace(std::uint64_t events, const std::filesystem::path& folder) {
  TraceBenchResult result;
  const auto path = folder / ("bench-" + std::to_string(::getpid()) + ".rankscope");
  record(events, path, result);
  {
    const auto before = resident_bytes();
    auto begin = std::chrono::steady_clock::now();
    const Trace trace = TraceReader::open(path);
    result.open_s = seconds_since(begin);
    const auto after = resident_bytes();
    result.memory_bytes = after > before ? after - before : 0;
    std::filesystem::remove(path);
    constexpr int kSeeks = 100;
    std::minstd_rand random;
    for (int i = 0; i < kSeeks; ++i) {
      const Cursor cursor = (std::uint64_t{random()} << 20) % (trace.size() + 1);
      begin = std::chrono::steady_clock::now();
      const auto states = trace.seek(cursor);
      const double seconds = seconds_since(begin);
      result.seek_mean_s += seconds / kSeeks;
      result.seek_worst_s = std::max(result.seek_worst_s, seconds);
    }
  }
  watch_live(events, result);
  return result;
}

std::string to_json(const TraceBenchResult& result) {
  return nlohmann::json{
      {"events", result.events},
      {"recorded_per_s", result.recorded_per_s},
      {"file_bytes", result.file_bytes},
      {"bytes_per_event", static_cast<double>(result.file_bytes) /
                              static_cast<double>(std::max<std::uint64_t>(result.events, 1))},
      {"open_s", result.open_s},
      {"live_append_s", result.live_append_s},
      {"live_snapshot_worst_s", result.live_snapshot_worst_s},
      {"seek_mean_s", result.seek_mean_s},
      {"seek_worst_s", result.seek_worst_s},
      {"memory_bytes", result.memory_bytes}}
      .dump(2);
}

}  // namespace rankscope::cli
