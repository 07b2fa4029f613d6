// Documents of very many events.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/analysis/statistics.h"
#include "engine/core/trace_builder.h"
#include "engine/core/trace_file.h"
#include "gui/state/document.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_ring.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

Trace made_up_trace(int ranks, std::uint64_t events) {
  TraceBuilder builder(MadeUpRing::meta(ranks));
  MadeUpRing(ranks).run(builder, events);
  return builder.finish();
}

}  // namespace

TEST_CASE("large: a made-up ring is a run without gaps", "[gui_state]") {
  const Trace trace = made_up_trace(4, 7000);
  CHECK(trace.size() == 7000);
  CHECK(trace.gaps().empty());
  const auto document = Document::make(trace, "");
  CHECK(document->statistics().unreceived == 0);
  CHECK(document->statistics().total.messages == 1000);
}

namespace {

// As a reader would look for it: back through all events.
unsigned line_by_hand(const Trace& trace, const std::string& file, Rank rank, Cursor cursor) {
  while (cursor-- > 0) {
    if (trace[cursor].rank != rank) continue;
    const auto* site = trace.definition(Definition::Kind::site, trace[cursor].site);
    for (int depth = 0; site != nullptr && depth < 8; ++depth) {
      if (file.ends_with(site->file) || site->file.ends_with(file)) return site->line;
      site = site->parent == 0 ? nullptr : trace.definition(Definition::Kind::site, site->parent);
    }
  }
  return 0;
}

void check_places(const Trace& trace, std::uint64_t step) {
  const auto document = Document::make(trace, "");
  REQUIRE_FALSE(trace.meta().sources.empty());
  const auto& file = trace.meta().sources.front().first;
  unsigned found = 0;
  for (Cursor cursor = 0; cursor <= trace.size(); cursor += cursor < 50 ? 1 : step)
    for (Rank rank = 0; rank < trace.world_size(); ++rank) {
      const auto line = line_by_hand(trace, file, rank, cursor);
      INFO("rank " << rank << " after " << cursor << " events");
      CHECK(document->code().line(rank, cursor) == line);
      found += line > 0 ? 1 : 0;
    }
  CHECK(found > 0);
}

}  // namespace

TEST_CASE("large: places in the code are those of a search through all events", "[gui_state]") {
  check_places(made_up_trace(5, 9000), 89);
  // Rank 0 does nothing for a long time, across many entries of the table.
  TraceBuilder builder(MadeUpRing::meta(3));
  EventBatch lone;
  lone.rank = 0;
  lone.epoch = 1;
  lone.definitions.push_back({});
  lone.definitions.back() = {Definition::Kind::site, 1, 0, 4, 0, "ring", "ring.cpp", DType::uint8, 0, {}};
  lone.events.resize(1);
  lone.events.front().rank = 0;
  lone.events.front().epoch = 1;
  lone.events.front().kind = EventKind::local;
  lone.events.front().verb = Verb::compute;
  lone.events.front().site = 1;
  builder.deliver(EventBatch(lone));
  EventBatch busy = lone;
  busy.rank = 2;
  busy.definitions.front().rank = 2;
  busy.definitions.front().line = 2;
  busy.events.assign(7000, lone.events.front());
  for (std::uint32_t i = 0; i < busy.events.size(); ++i) {
    busy.events[i].rank = 2;
    busy.events[i].seq = i;
    busy.events[i].time_ns = busy.events[i].begin_ns = 100 + i;
    busy.events[i].site = i % 3 == 0 ? 1 : 0;
  }
  builder.deliver(std::move(busy));
  const Trace trace = builder.finish();
  check_places(trace, 97);
  CHECK(Document::make(trace, "")->code().line(0, 7001) == 4);
  CHECK(Document::make(trace, "")->code().line(1, 7001) == 0);
  CHECK(Document::make(trace, "")->code().line(17, 7001) == 0);
}

// RANKSCOPE_EVENTS=10000000 RANKSCOPE_TRACE=large.rankscope test_gui_state 'write a large trace'
TEST_CASE("write a large trace", "[.make]") {
  const char* events = std::getenv("RANKSCOPE_EVENTS");
  const char* path = std::getenv("RANKSCOPE_TRACE");
  const char* ranks = std::getenv("RANKSCOPE_RANKS");
  if (events == nullptr || path == nullptr) return;
  const int size = ranks == nullptr ? 8 : std::atoi(ranks);
  TraceWriter writer(path, MadeUpRing::meta(size), 1);
  MadeUpRing(size).run(writer, std::strtoull(events, nullptr, 10));
  writer.close(MadeUpRing::meta(size));
}

// RANKSCOPE_TRACE=large.rankscope test_gui_state 'time a large document'
TEST_CASE("time a large document", "[.make]") {
  const char* path = std::getenv("RANKSCOPE_TRACE");
  if (path == nullptr) return;
  auto last = std::chrono::steady_clock::now();
  const auto told = [&](const char* what) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("%-24s %.3f s\n", what, std::chrono::duration<double>(now - last).count());
    last = std::chrono::steady_clock::now();
  };
  const Trace trace = TraceReader::open(path);
  told("opened");
  const auto numbers = statistics(trace);
  told("statistics");
  const CodePlaces code(trace, trace.meta().sources.empty() ? "" : trace.meta().sources.front().first);
  told("places in the code");
  const auto document = Document::make(trace, path);
  told("document");
  CHECK(document->statistics().total == numbers.total);
}
