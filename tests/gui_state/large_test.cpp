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
