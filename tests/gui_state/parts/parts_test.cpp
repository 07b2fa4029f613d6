// Runs too large to be held: the events around the cursor are shown, and what needs all says so.
#include <cstdlib>

#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/run/large_run.h"
#include "tests/gui_state/driven.h"
#include "tests/support/made_up_ring.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

constexpr std::uint64_t kHeld = 8000, kMade = 60'000;

/// Traces of more events than this are held in parts.
struct LittleHeld {
  LittleHeld() { ::setenv("RANKSCOPE_STREAM_EVENTS", std::to_string(kHeld).c_str(), 1); }
  LittleHeld(const LittleHeld&) = delete;
  LittleHeld& operator=(const LittleHeld&) = delete;
  ~LittleHeld() { ::unsetenv("RANKSCOPE_STREAM_EVENTS"); }
};

void write_large(const std::string& file, bool close = true, std::uint64_t events = kMade,
                 std::uint64_t block = 3000) {
  const auto meta = MadeUpRing::meta(4);
  TraceWriter writer(file, meta, 1);
  MadeUpRing ring(4);
  for (std::uint64_t next = block; ring.made() < events; next += block) {
    ring.run(writer, next);
    writer.flush();
  }
  if (close) writer.close(meta);
}

struct Opened {
  LittleHeld little;
  Driven driven;
  std::string file = driven.home / "large.rankscope";

  explicit Opened(bool close = true) {
    write_large(file, close);
    REQUIRE(driven.does("open " + test::quoted(file)));
    REQUIRE(driven.until([&] { return driven.app.state().has_trace() && settled(); }));
  }
  bool settled() {
    const auto& state = driven.app.state();
    return state.loading.empty() &&
           (!state.document || state.document->has_around(state.playback.moment));
  }
  const Document& document() { return *driven.app.state().document; }
};

}  // namespace

TEST_CASE("parts: a large run is opened by its index, and followed by the cursor", "[gui_state]") {
  Opened opened;
  Driven& driven = opened.driven;
  REQUIRE(opened.document().run());
  CHECK_FALSE(opened.document().run()->rebuilt());
  CHECK(opened.document().run()->events() >= kMade);
  CHECK(driven.value("events") == std::to_string(opened.document().run()->events()));
  CHECK(driven.value("clock") == "measured");
  CHECK(has(driven.message(), "those around the cursor"));
  const double end = opened.document().end(ClockBase::measured);
  CHECK(driven.app.state().playback.moment == 0);
  const auto run = opened.document().run();
  for (const double share : {0.5, 0.0, 0.25, 1.0, 0.26}) {
    REQUIRE(driven.does("seek " + std::to_string(share * end)));
    REQUIRE(driven.until([&] { return opened.settled(); }));
    const Document& now = opened.document();
    CHECK(now.run() == run);  // the file is not opened again
    CHECK(now.trace().size() > 100);
    CHECK(now.trace().size() <= kHeld);
    CHECK(now.part().begin <= share * end);
    CHECK(now.part().end >= share * end - 1e-6);
    CHECK(driven.value("held") != "all");
  }
  // Its events are those of the run, at the run's times.
  const Trace whole = TraceReader::open(opened.file);
  const Trace& part = opened.document().trace();
  const auto first = whole.at_time(part.time_ns(0));
  REQUIRE(first + part.size() <= whole.size());
  for (std::uint64_t k = 0; k < part.size(); k += 37) {
    CHECK(part.time_ns(k) == whole.time_ns(first + k));
    CHECK(part[k].op == whole[first + k].op);
  }
}

TEST_CASE("parts: what needs all of a run says so", "[gui_state]") {
  Opened opened;
  Driven& driven = opened.driven;
  CHECK(opened.document().findings().empty());
  CHECK(opened.document().statistics().unreceived == 0);
  REQUIRE(driven.app.state().problems.size() == 1);
  const Problem& problem = driven.app.state().problems.front();
  CHECK(problem.severity == Problem::Severity::note);
  CHECK(has(problem.what, "findings are not looked for"));
  CHECK(has(problem.advice, "RANKSCOPE_STREAM_EVENTS"));
  CHECK_FALSE(driven.does("clock rounds"));
  CHECK_FALSE(driven.does("meant allreduce:sum"));
  CHECK(has(driven.message(), "too large"));
  REQUIRE(driven.does("compare " + test::quoted(opened.file)));
  REQUIRE(driven.until([&] { return driven.app.state().loading.empty(); }));
  CHECK(has(driven.message(), "a comparison needs both runs whole"));
  CHECK(driven.does("zoom held"));
  CHECK(driven.app.state().zoom.end > driven.app.state().zoom.begin);
  CHECK_FALSE(driven.does("stop-reading"));
  // All of it is saved.
  const std::string copy = driven.home / "copy.rankscope";
  REQUIRE(driven.does("save " + test::quoted(copy)));
  CHECK(TraceReader::open(copy).size() == opened.document().run()->events());
}

TEST_CASE("parts: a step leads from message to message, into the next part too", "[gui_state]") {
  Opened opened;
  Driven& driven = opened.driven;
  REQUIRE(driven.does("seek 1000"));
  REQUIRE(driven.until([&] { return opened.settled(); }));
  const double end = opened.document().part().end;
  double moment = driven.app.state().playback.moment;
  for (int i = 0; i < 3000 && moment <= end; ++i) {
    REQUIRE(driven.does("step"));
    const double next = driven.app.state().playback.moment;
    REQUIRE(next > moment);
    REQUIRE(next - moment < 100);  // messages follow each other by some microseconds
    moment = next;
    if (!opened.settled()) REQUIRE(driven.until([&] { return opened.settled(); }));
  }
  CHECK(moment > end);
}

TEST_CASE("parts: the file of a recorder that was killed is indexed first", "[gui_state]") {
  Opened opened(false);
  REQUIRE(opened.document().run());
  CHECK(opened.document().run()->rebuilt());
  CHECK(opened.document().run()->issues().unclosed);
  CHECK(opened.driven.app.state().loaded_percent == -1);
}

TEST_CASE("parts: a small run beside it is opened whole, and the other way round", "[gui_state]") {
  Opened opened;
  Driven& driven = opened.driven;
  const std::string small = driven.home / "small.rankscope";
  {
    TraceWriter writer(small, MadeUpRing::meta(2), 1);
    MadeUpRing(2).run(writer, 500);
    writer.close(MadeUpRing::meta(2));
  }
  REQUIRE(driven.does("seek 0"));  // a part is asked for, and not wanted any more
  REQUIRE(driven.does("open " + test::quoted(small)));
  REQUIRE(driven.until([&] { return driven.value("ranks") == "2"; }));
  for (int i = 0; i < 20; ++i) driven.app.update(0.005);
  CHECK_FALSE(opened.document().run());
  CHECK(driven.value("held") == "all");
  CHECK(opened.document().trace().part() == nullptr);
}

TEST_CASE("parts: a run that can be held is shown before all of it is read", "[gui_state]") {
  const LittleHeld little;
  Driven driven;
  const std::string file = driven.home / "middle.rankscope";
  write_large(file, true, 6000);
  REQUIRE(driven.does("open " + test::quoted(file)));
  bool was_part = false;
  REQUIRE(driven.until([&] {
    const auto& document = driven.app.state().document;
    was_part = was_part || (document && document->run());
    return document && !document->run();
  }));
  CHECK(was_part);
  const auto& state = driven.app.state();
  CHECK(state.document->trace().part() == nullptr);
  CHECK(state.document->trace().size() >= 6000);
  CHECK(state.loading.empty());
  for (const Problem& problem : state.problems) CHECK_FALSE(has(problem.what, "are looked for"));
  CHECK(driven.does("clock rounds"));
  CHECK(state.document->rounds().count > 0);
}

TEST_CASE("parts: a file without a summary is shown by an estimate, then counted", "[gui_state]") {
  const LittleHeld little;
  Driven driven;
  const std::string file = driven.home / "killed.rankscope",
                    other = driven.home / "other.rankscope";
  write_large(file, false, kMade, 300);
  write_large(other, false, kMade / 2, 150);
  const auto& state = driven.app.state();
  const auto counted = [&] {
    return state.document && state.counted_percent < 0 && driven.value("sums") == "counted";
  };
  REQUIRE(driven.does("open " + test::quoted(file)));
  REQUIRE(driven.until([&] { return state.document != nullptr; }));
  CHECK(has(driven.message(), "an estimate"));
  CHECK(state.document->run()->is_estimated());
  CHECK(has(state.problems.front().what, "not closed properly"));
  const auto shown = state.document->id();
  REQUIRE(driven.until(counted));
  CHECK(state.document->id() == shown);  // what is selected in it stays
  CHECK(has(driven.message(), "all messages are counted"));
  const auto best = best_counted(*state.document, state.counted);
  CHECK(best->rebuilt());
  CHECK(best->number() == state.document->run()->number());
  CHECK_FALSE(driven.does("stop-reading"));
  // Another one takes its place, and so does what is known of it.
  REQUIRE(driven.does("open " + test::quoted(other)));
  REQUIRE(driven.until([&] { return state.document->path().ends_with("other.rankscope"); }));
  REQUIRE(driven.until([&] { return counted() && state.counted; }));
  CHECK(state.counted->number() == state.document->run()->number());
}
