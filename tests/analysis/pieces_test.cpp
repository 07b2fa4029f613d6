// Where messages lie in the data, also by files whose definitions and offsets are damaged.
#include "engine/account/pieces.h"

#include <limits>

#include "engine/account/follow_events.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/trace/trace_builder.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

Definition buffer(std::uint32_t id, Rank rank, const char* name,
                  std::vector<std::int64_t> extents) {
  Definition definition;
  definition.kind = Definition::Kind::buffer;
  definition.id = id;
  definition.rank = rank;
  definition.name = name;
  definition.dtype = DType::uint8;
  definition.extents = std::move(extents);
  return definition;
}

// As a reader makes it of a file, with numbers that hold in the whole trace.
Trace trace_of(std::vector<Definition> buffers, std::vector<StepEvent> events = {}) {
  TraceMeta meta;
  meta.world_size = 2;
  meta.algorithm = "reduce_scatter.ring";
  meta.collective = Collective::reduce_scatter;
  TraceBuilder builder(meta);
  for (auto& one : buffers) builder.put_definition(std::move(one));
  if (!events.empty()) {
    auto chunk = std::make_shared<EventChunk>(events.size());
    std::ranges::copy(events, chunk->events().begin());
    const std::span<const StepEvent> run = chunk->events();
    builder.adopt(chunk, std::array{run});
  }
  return builder.finish();
}

}  // namespace

TEST_CASE("extents that make no array have no elements", "[analysis]") {
  CHECK(count_of(buffer(1, 0, "data", {2, 3})) == 6);
  CHECK(count_of(buffer(1, 0, "data", {2, 0})) == 0);
  CHECK(count_of(buffer(1, 0, "data", {})) == 0);
  CHECK(count_of(buffer(1, 0, "data", {-2, -3})) == 0);
  CHECK(count_of(buffer(1, 0, "data", {kHuge, kHuge, 8})) == 0);
}

TEST_CASE("ranges of a damaged file are cut or nowhere, never outside", "[analysis]") {
  constexpr auto kEnd = std::numeric_limits<std::uint64_t>::max();
  const auto whole = buffer(1, 0, "data", {8});
  CHECK(elements_at(whole, 2, 3) == Range{2, 3});
  CHECK(elements_at(whole, 6, 3) == Range{6, 2});
  CHECK(elements_at(whole, kEnd, kEnd) == Range{8, 0});
  const Trace trace = trace_of({whole, buffer(2, 1, "work", {8})});
  const Pieces pieces(trace);
  CHECK(pieces.range_of(1, 2, 3) == Range{2, 3});
  CHECK(pieces.range_of(2, 0, 8) == Range{0, 8});
  CHECK_FALSE(pieces.range_of(1, 6, 3));
  CHECK_FALSE(pieces.range_of(1, std::uint64_t{1} << 63, 8));
  CHECK_FALSE(pieces.range_of(1, kEnd, kEnd));
  CHECK_FALSE(pieces.range_of(3, 0, 1));
}

TEST_CASE("buffers of ranks that are none have no place", "[analysis]") {
  // Buffer 3 was lost.
  const Trace trace =
      trace_of({buffer(1, 0, "data", {8}), buffer(2, 77, "data", {4}), buffer(4, -1, "work", {8}),
                buffer(5, -5, "in", {4}), buffer(6, 1 << 30, "data", {kHuge, 4})});
  const Pieces pieces(trace);
  CHECK(pieces.whole() == 8);
  for (const auto& one : trace.definitions(Definition::Kind::buffer))
    CHECK(pieces.base_of(&one).has_value() == (one.id == 1));
  CHECK(pieces.data(77) == nullptr);
  CHECK(pieces.work(-1) == nullptr);
  CHECK(trace.seek(0).size() == 5);  // what was lost has no entry
  CHECK(trace.seek(0)[2].buffer == 4);
}

TEST_CASE("contributions of events with wild offsets stay in their buffers", "[analysis]") {
  StepEvent event;
  event.rank = 0;
  event.kind = EventKind::local;
  event.verb = Verb::copy;
  event.in_buffer = event.out_buffer = 1;
  event.in_offset = std::uint64_t{1} << 63;
  event.out_offset = 6;
  event.bytes = kHuge;
  const Trace trace = trace_of({buffer(1, 0, "data", {8})}, {event});
  const auto held = TraceAnalysis(trace).contributions().at(std::vector<Cursor>{1, 1});
  REQUIRE(held.size() == 1);
  REQUIRE_FALSE(held[0].empty());
  CHECK(held[0].back().elements.end() == 8);
}
