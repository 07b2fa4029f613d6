#include "engine/diagrams/overview.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "engine/core/trace_builder.h"
#include "engine/core/trace_file.h"
#include "engine/diagrams/cairo_painter.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

// Rounds of a ring and of a tree in turns: each message as its five events.
std::vector<EventBatch> made_up(int ranks, int rounds) {
  std::vector<EventBatch> batches(static_cast<std::size_t>(ranks));
  std::vector<std::uint64_t> ops(static_cast<std::size_t>(ranks), 0);
  const auto put = [&](Rank rank, Rank peer, OpId op, OpId cause, EventKind kind, Verb verb,
                       std::int64_t time) {
    auto& batch = batches[static_cast<std::size_t>(rank)];
    StepEvent event;
    event.rank = rank;
    event.peer = peer;
    event.op = op;
    event.cause = cause;
    event.kind = kind;
    event.verb = verb;
    event.time_ns = event.begin_ns = time;
    event.bytes = 4096;
    event.seq = static_cast<std::uint32_t>(batch.events.size());
    batch.rank = rank;
    batch.events.push_back(event);
  };
  for (int round = 0; round < rounds; ++round)
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Rank to = round % 20 < 14 ? (rank + 1) % ranks : rank / 2;
      if (to == rank) continue;
      const auto at = std::int64_t{1000} * round * 20 + rank % 97;
      const OpId send = make_op(rank, ++ops[static_cast<std::size_t>(rank)]);
      const OpId recv = make_op(to, ++ops[static_cast<std::size_t>(to)]);
      put(to, rank, recv, 0, EventKind::posted, Verb::recv, at);
      put(rank, to, send, 0, EventKind::posted, Verb::send, at + 100);
      put(rank, to, send, 0, EventKind::completed, Verb::send, at + 900);
      put(to, rank, recv, send, EventKind::matched, Verb::recv, at + 5000);
      put(to, rank, recv, send, EventKind::completed, Verb::recv, at + 5100);
    }
  return batches;
}

TraceMeta meta_of(int ranks) {
  TraceMeta meta;
  meta.algorithm = "made up";
  meta.world_size = ranks;
  return meta;
}

void check_scene(const Scene& scene) {
  CHECK(overlapping_texts(scene).empty());
  CHECK(outside_page(scene).empty());
}

std::filesystem::path write_file(int ranks, int rounds) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rankscope-overview-" + std::to_string(::getpid()) + ".rankscope");
  TraceWriter writer(path, meta_of(ranks));
  constexpr int kAtOnce = 200;
  for (int from = 0; from < rounds; from += kAtOnce) {
    auto batches = made_up(ranks, std::min(kAtOnce, rounds - from));
    for (auto& batch : batches) {
      for (auto& event : batch.events) {
        event.time_ns += std::int64_t{20000} * from;
        event.begin_ns = event.time_ns;
        event.seq += static_cast<std::uint32_t>(from) * 10;
      }
      writer.deliver(std::move(batch));
    }
  }
  writer.close(meta_of(ranks));
  return path;
}

}  // namespace

TEST_CASE("a thousand ranks are merged into an overview that counts every message", "[diagrams]") {
  const Trace trace = make_trace(made_up(1000, 40), meta_of(1000));
  SpacetimeOptions options;
  REQUIRE(needs_overview(trace, options));
  const Scene scene = spacetime(trace, options, system_ruler());
  check_scene(scene);
  CHECK(scene.marks.size() < 12000);
  // 28 rounds of a ring, and 12 in which rank 0 sends nothing.
  CHECK(scene.description.find("39,988 messages") != std::string::npos);
}

TEST_CASE("a file is drawn as the trace that it holds", "[diagrams]") {
  const auto path = write_file(100, 60);
  SpacetimeOptions options;
  options.title = "the same";
  const Scene from_file = overview_of_file(path, options, system_ruler());
  const Scene from_trace = overview(TraceReader::open(path), options, system_ruler());
  std::filesystem::remove(path);
  CHECK(to_text(from_file) == to_text(from_trace));
  check_scene(from_file);
}

// RANKSCOPE_LOOK=folder RANKSCOPE_MESSAGES=1000000 test_diagrams 'a large file'
TEST_CASE("a large file", "[.look]") {
  const char* folder = std::getenv("RANKSCOPE_LOOK");
  const char* messages = std::getenv("RANKSCOPE_MESSAGES");
  if (folder == nullptr || messages == nullptr) return;
  const auto path = write_file(1000, std::atoi(messages) / 1000);
  std::filesystem::rename(path, std::string(folder) + "/large.rankscope");
}

// RANKSCOPE_LOOK=folder test_diagrams 'draw a large file'
TEST_CASE("draw a large file", "[.look]") {
  const char* folder = std::getenv("RANKSCOPE_LOOK");
  if (folder == nullptr) return;
  const std::string base = std::string(folder) + "/large";
  const Scene scene = overview_of_file(base + ".rankscope", {}, system_ruler());
  std::ofstream(base + ".png", std::ios::binary) << to_png(scene, Theme(Theme::Kind::light), 96);
}
