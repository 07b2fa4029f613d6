// Documents of very many events.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "engine/analysis/statistics.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/run/document.h"
#include "gui/state/run/recording.h"
#include "tests/gui_state/live.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_ring.h"
#include "tests/support/process.h"

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
    if (trace[cursor].rank != rank || trace[cursor].verb == Verb::phase_end) continue;
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
  lone.definitions.back() = {Definition::Kind::site, 1, 0, 4, 0, "ring", "ring.cpp",
                             DType::uint8,           0, {}};
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

TEST_CASE("large: a phase that ends does not take its rank back to where it began", "[gui_state]") {
  TraceBuilder builder(MadeUpRing::meta(1));
  EventBatch batch;
  batch.rank = 0;
  batch.epoch = 1;
  for (std::uint32_t id : {1U, 2U})
    batch.definitions.push_back({Definition::Kind::site,
                                 id,
                                 0,
                                 id == 1 ? 10U : 11U,
                                 0,
                                 "ring",
                                 "ring.cpp",
                                 DType::uint8,
                                 0,
                                 {}});
  const auto add = [&](EventKind kind, Verb verb, std::uint32_t site) {
    StepEvent event;
    event.rank = 0;
    event.epoch = 1;
    event.seq = static_cast<std::uint32_t>(batch.events.size());
    event.time_ns = event.begin_ns = 100 + event.seq;
    event.kind = kind;
    event.verb = verb;
    event.site = site;
    batch.events.push_back(event);
  };
  add(EventKind::phase, Verb::phase_begin, 1);
  add(EventKind::local, Verb::compute, 2);
  add(EventKind::phase, Verb::phase_end, 1);
  builder.deliver(std::move(batch));
  const auto document = Document::make(builder.finish(), "");
  CHECK(document->code().line(0, 1) == 10);
  CHECK(document->code().line(0, 2) == 11);
  CHECK(document->code().line(0, 3) == 11);
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
  const auto report = [&](const char* what) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("%-24s %.3f s\n", what, std::chrono::duration<double>(now - last).count());
    last = std::chrono::steady_clock::now();
  };
  const Trace trace = TraceReader::open(path);
  report("opened");
  const auto numbers = TraceAnalysis(trace).statistics();
  report("statistics");
  const CodePlaces code(trace,
                        trace.meta().sources.empty() ? "" : trace.meta().sources.front().first);
  report("places in the code");
  const auto document = Document::make(trace, path);
  report("document");
  CHECK(document->statistics().total == numbers.total);
}

namespace {

/// A run whose events come as fast as they are asked for, as a session hands them on.
struct Stream {
  std::shared_ptr<Recording> recording;
  DocumentMaker maker{[] {},
                      [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }};

  Stream(int ranks, const std::string& file) {
    recording =
        std::make_shared<Recording>(MadeUpRing::meta(ranks), file, [this] { maker.grown(); });
    maker.begin(recording);
  }
};

}  // namespace

TEST_CASE("large: a run that reports very much at once loses nothing", "[gui_state]") {
  constexpr std::uint64_t kEvents = 600'000;
  const TemporaryFolder folder;
  Stream stream(8, folder / "stream.rankscope");
  std::uint64_t made = 0;
  std::thread source([&] {
    MadeUpRing ring(8);
    ring.run(*stream.recording, kEvents);
    made = ring.made();
    stream.recording->close(MadeUpRing::meta(8));
    stream.maker.finish();
  });
  std::uint64_t shown = 0;
  const bool whole = eventually([&] {
    if (const auto document = stream.maker.take()) {
      CHECK(document->trace().size() >= shown);  // documents only grow
      CHECK(document->trace().gaps().empty());
      shown = document->trace().size();
    }
    return shown >= kEvents;
  });
  source.join();
  CHECK(whole);
  CHECK(shown == made);
  CHECK(stream.recording->builder().dropped() == 0);
  CHECK(TraceReader::open(folder / "stream.rankscope").size() == made);
}

// RANKSCOPE_EVENTS=10000000 test_gui_state 'time a stream': as many events a second as RANKSCOPE_RATE.
TEST_CASE("time a stream", "[.make]") {
  const char* events = std::getenv("RANKSCOPE_EVENTS");
  if (events == nullptr) return;
  const char* given = std::getenv("RANKSCOPE_RATE");
  const double rate = given == nullptr ? 1e6 : std::atof(given);
  const auto number = std::strtoull(events, nullptr, 10);
  const TemporaryFolder folder;
  Stream stream(8, folder / "stream.rankscope");
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  std::atomic<double> longest = 0, ended = 0;
  std::atomic<std::uint64_t> made = 0;
  std::thread source([&] {
    MadeUpRing ring(8);
    while (ring.made() < number) {
      const double before = since();
      ring.step(*stream.recording, 256);
      longest = std::max(longest.load(), since() - before);
      made = ring.made();
      const double ahead = static_cast<double>(ring.made()) / rate - since();
      if (ahead > 0.002) std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
    }
    ring.run(*stream.recording, 0);
    made = ring.made();
    ended = since();
    stream.recording->close(MadeUpRing::meta(8));
    stream.maker.finish();
  });
  DocumentPtr document;
  double worst_take = 0;
  int documents = 0;
  while (!document || ended.load() == 0 || document->trace().size() < made.load()) {
    const double before = since();
    if (auto next = stream.maker.take()) {
      document = std::move(next);
      ++documents;
      std::printf(
          "%7.2f s: %llu events, %.1f %% of those reported\n", since(),
          static_cast<unsigned long long>(document->trace().size()),
          100.0 * static_cast<double>(document->trace().size()) / static_cast<double>(made.load()));
    }
    worst_take = std::max(worst_take, since() - before);
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
  }
  source.join();
  std::printf(
      "%llu events reported in %.2f s (a batch waited %.1f ms at most), whole after %.2f s; %d "
      "documents, "
      "taking one took %.2f ms at most\n",
      static_cast<unsigned long long>(made.load()), ended.load(), longest.load() * 1e3, since(),
      documents, worst_take * 1e3);
  CHECK(document->trace().size() == made.load());
}
