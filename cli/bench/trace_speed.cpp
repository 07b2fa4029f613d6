// Measures recording, opening and scrubbing of a made-up trace of a given size.
#include "cli/bench/trace_speed.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/summary_cache.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/run/job/made_up_run.h"

namespace rankscope::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void record(std::uint64_t events, const std::filesystem::path& path, TraceBenchResult& result) {
  using Clock = std::chrono::steady_clock;
  TraceMeta meta;
  meta.world_size = MadeUpRun::kRanks;
  MadeUpRun run;
  double seconds = 0;
  auto begin = Clock::now();
  TraceWriter writer(path, meta);
  seconds += seconds_since(begin);
  while (run.delivered() < events) {
    run.step([&](const EventBatch& batch) {
      const Bytes wire = encode(batch);
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
    run.step([&](const EventBatch& batch) {
      const Bytes wire = encode(batch);
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

void open_in_parts(const std::filesystem::path& path, TraceBenchResult& result) {
  constexpr std::uint64_t kEvents = 200'000;
  constexpr int kParts = 20;
  auto begin = std::chrono::steady_clock::now();
  const auto run = StreamedTrace::open(path);
  result.streamed_open_s = seconds_since(begin);
  for (int i = 0; i < kParts; ++i) {
    begin = std::chrono::steady_clock::now();
    const Trace part = run->part_around(run->duration_ns() / kParts * i, kEvents);
    result.part_worst_s = std::max(result.part_worst_s, seconds_since(begin));
  }
}

// Opens the trace as a killed recorder leaves it.
void open_unsummarised(const std::filesystem::path& path, TraceBenchResult& result) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  std::filesystem::
      last_write_time(  // a newer file might still be written to within the resolution of its time
          path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  const auto folder = path.parent_path() / (path.stem().string() + "-summaries");
  const SummaryCache kept(folder, 0);
  auto begin = std::chrono::steady_clock::now();
  const auto run = StreamedTrace::open_soon(path, {}, &kept);
  result.estimated_open_s = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  (void)run->counted({}, {}, &kept);
  result.counted_s = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  (void)StreamedTrace::open_soon(path, {}, &kept);
  result.kept_open_s = seconds_since(begin);
  std::filesystem::remove_all(folder);
}

}  // namespace

void record_made_up(std::uint64_t events, const std::filesystem::path& path) {
  TraceBenchResult ignored;
  record(events, path, ignored);
}

TraceBenchResult bench_trace(std::uint64_t events, const std::filesystem::path& folder) {
  TraceBenchResult result;
  const auto path = folder / ("bench-" + std::to_string(::getpid()) + ".rankscope");
  record(events, path, result);
  open_in_parts(path, result);
  {
    const auto before = resident_bytes();
    auto begin = std::chrono::steady_clock::now();
    const Trace trace = TraceReader::open(path);
    result.open_s = seconds_since(begin);
    const auto after = resident_bytes();
    result.memory_bytes = after > before ? after - before : 0;
    open_unsummarised(path, result);
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

std::string to_json(const TraceBenchResult& measured) {
  return nlohmann::json{
      {"events", measured.events},
      {"recorded_per_s", measured.recorded_per_s},
      {"file_bytes", measured.file_bytes},
      {"bytes_per_event", static_cast<double>(measured.file_bytes) /
                              static_cast<double>(std::max<std::uint64_t>(measured.events, 1))},
      {"open_s", measured.open_s},
      {"live_append_s", measured.live_append_s},
      {"live_snapshot_worst_s", measured.live_snapshot_worst_s},
      {"seek_mean_s", measured.seek_mean_s},
      {"seek_worst_s", measured.seek_worst_s},
      {"memory_bytes", measured.memory_bytes},
      {"streamed_open_s", measured.streamed_open_s},
      {"part_worst_s", measured.part_worst_s},
      {"estimated_open_s", measured.estimated_open_s},
      {"counted_s", measured.counted_s},
      {"kept_open_s", measured.kept_open_s}}
      .dump(2);
}

}  // namespace rankscope::cli
