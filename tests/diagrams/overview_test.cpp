// Overviews of large runs: counts, limits, labels and windows.
#include "engine/diagrams/spacetime/overview.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/account/messages.h"
#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/made_up_ring.h"

using namespace rankscope;
using test::check_readable;

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
  const TraceAnalysis trace(make_trace(made_up(1000, 40), meta_of(1000)));
  SpacetimeOptions options;
  REQUIRE(needs_overview(trace, options));
  const Scene scene = spacetime(trace, options, system_ruler());
  check_readable(scene);
  CHECK(scene.marks.size() < 12000);
  // 28 rounds of a ring, and 12 in which rank 0 sends nothing.
  CHECK(scene.description.find("39,988 messages") != std::string::npos);
}

TEST_CASE("a file is drawn as the trace that it holds", "[diagrams]") {
  const auto path = write_file(100, 60);
  SpacetimeOptions options;
  options.title = "the same";
  const Scene from_file = overview_of_file(path, options, system_ruler());
  const Scene from_trace =
      overview(TraceAnalysis(TraceReader::open(path)), options, system_ruler());
  std::filesystem::remove(path);
  CHECK(to_text(from_file) == to_text(from_trace));
  check_readable(from_file);
}

TEST_CASE("an overview honours ranks and steps", "[diagrams]") {
  const TraceAnalysis trace(make_trace(made_up(100, 60), meta_of(100)));
  SpacetimeOptions options;
  // 42 rounds of a ring: rank 0 to 1, 1 to 2 ... 69 to 70; and 18 of a tree: rank to rank / 2.
  for (Rank rank = 0; rank < 70; ++rank) options.ranks.push_back(rank);
  Scene scene = spacetime(trace, options, system_ruler());
  check_readable(scene);
  CHECK(scene.description.find("4,140 messages") != std::string::npos);
  CHECK(test::says(scene, "70 ranks in 40 rows"));
  options.ranks.clear();
  options.first_round = options.last_round = 1;
  scene = spacetime(trace, options, system_ruler());
  check_readable(scene);
  const Rounds all = trace.rounds();
  const auto expected = std::ranges::count(all.round, 1);
  CHECK(scene.description.find(std::to_string(expected) + " messages") != std::string::npos);
  CHECK(test::says(scene, "steps 1:1"));
  options.last_round = 100000;
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()),
                    Catch::Contains("outside of the run, which has steps 1:"));
  options = {};
  options.ranks.assign(70, 3);
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()), Catch::Contains("named twice"));
  options.ranks.resize(69);
  options.ranks.push_back(100);
  CHECK_THROWS_AS(spacetime(trace, options, system_ruler()), UserError);
}

TEST_CASE("an overview refuses what it has not", "[diagrams]") {
  const TraceAnalysis trace(make_trace(made_up(100, 10), meta_of(100)));
  SpacetimeOptions options;
  options.portrait = true;
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()), Catch::Contains("--portrait"));
  options = {};
  options.critical_path = true;
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()), Catch::Contains("--critical-path"));
}

TEST_CASE("the labels of an overview are those that were asked for", "[diagrams]") {
  const TraceAnalysis trace(make_trace(made_up(100, 10), meta_of(100)));
  SpacetimeOptions options;
  const auto pills = [&](SpacetimeOptions::Labels labels) {
    options.labels = labels;
    const Scene scene = spacetime(trace, options, system_ruler());
    check_readable(scene);
    std::vector<std::string> texts;
    for (const Mark& mark : scene.marks)
      if (mark.kind == Mark::Kind::text && mark.group >= 0 &&
          scene.groups[static_cast<std::size_t>(mark.group)].id.starts_with("flow-"))
        texts.push_back(mark.text);
    return texts;
  };
  CHECK(pills(SpacetimeOptions::Labels::none).empty());
  for (const auto& text : pills(SpacetimeOptions::Labels::bytes)) CHECK(text.ends_with("KiB"));
  CHECK_FALSE(pills(SpacetimeOptions::Labels::bytes).empty());
  CHECK(pills(SpacetimeOptions::Labels::all).front().find(" · ") != std::string::npos);
}

TEST_CASE("what is shown decides whether it is merged", "[diagrams]") {
  const TraceAnalysis trace(make_trace(made_up(32, 400), meta_of(32)));
  SpacetimeOptions options;
  CHECK(needs_overview(trace, options));
  options.ranks = {0, 1, 2};  // of the ring 2 messages a round, of the tree 2 to rank 0 or 1
  CHECK_FALSE(needs_overview(trace, options));
  for (Rank rank = 3; rank < 31; ++rank) options.ranks.push_back(rank);
  CHECK(needs_overview(trace, options));
  options.ranks.clear();
  options.last_round = 10;
  CHECK_FALSE(needs_overview(trace, options));
  options.last_round = trace.rounds().count;
  CHECK(needs_overview(trace, options));
}

// Ranks of another host, whose clock began elsewhere: events and axis are on one clock.
TEST_CASE("an overview of a file corrects clocks on the axis too", "[diagrams]") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rankscope-clocks-" + std::to_string(::getpid()) + ".rankscope");
  TraceMeta meta = meta_of(100);
  meta.clock_offset_ns.assign(100, 0);
  auto batches = made_up(100, 60);
  constexpr std::int64_t kAhead = std::int64_t{3600} * 1'000'000'000;
  for (std::size_t rank = 50; rank < 100; ++rank) {
    meta.clock_offset_ns[rank] = -kAhead;
    for (auto& event : batches[rank].events) {
      event.time_ns += kAhead;
      event.begin_ns += kAhead;
    }
  }
  {
    TraceWriter writer(path, meta);
    for (auto& batch : batches) writer.deliver(std::move(batch));
    writer.close(meta);
  }
  SpacetimeOptions options;
  options.title = "the same";
  const Scene from_file = overview_of_file(path, options, system_ruler());
  const Scene from_trace =
      overview(TraceAnalysis(TraceReader::open(path)), options, system_ruler());
  CHECK(to_text(from_file) == to_text(from_trace));
  CHECK(from_file.description.find("1.2 ms") != std::string::npos);
  options.first_round = 2;
  CHECK_THROWS_AS(overview_of_file(path, options, system_ruler()), UserError);
  std::filesystem::remove(path);
}

TEST_CASE("clocks of a damaged file do not overflow", "[diagrams]") {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  OverviewCounts counts({2, {}, kLeast, kMost, {kMost, kLeast}});
  StepEvent event;
  event.kind = EventKind::posted;
  event.verb = Verb::send;
  for (const auto time : {kLeast, std::int64_t{0}, kMost})
    for (Rank rank = -2; rank < 4; ++rank) {
      event.rank = rank;
      event.peer = 1 - rank;
      event.time_ns = time;
      counts.add(event);
    }
  CHECK(counts.all().messages == 6);
  check_readable(overview(counts, {}, system_ruler()));
}

namespace {

Trace made_up_ring(int ranks, std::uint64_t events) {
  TraceBuilder builder(test::MadeUpRing::meta(ranks));
  test::MadeUpRing(ranks).run(builder, events);
  return builder.finish();
}

// Empty ones, some that begin or end with the run, and the run.
std::vector<TimeWindow> windows_of(const Trace& trace) {
  const auto end = whole_time(trace).end_ns;
  return {{0, end},
          {0, 1},
          {0, end / 3},
          {end / 3, end / 2},
          {end / 2, end},
          {end - 1, end},
          {end / 5, end / 5 + 2500},
          {end / 4, end / 4 + 1},
          {trace.time_ns(trace.size() / 2), trace.time_ns(trace.size() / 2 + 40)}};
}

}  // namespace

TEST_CASE("a window counts what lies in it", "[diagrams]") {
  for (const int ranks : {2, 8, 50}) {
    const Trace trace = made_up_ring(ranks, 20'000);
    const auto end = whole_time(trace).end_ns;
    for (const auto window : windows_of(trace)) {
      INFO(ranks << " ranks, " << window.begin_ns << " to " << window.end_ns << " of " << end);
      const auto counted = count_window(trace, window);
      OverviewCounts expected({ranks, {}, window.begin_ns, window.end_ns, {}});
      for (std::uint64_t k = 0; k < trace.size(); ++k) {
        const auto time = trace.time_ns(k);
        const bool last = window.end_ns == end && time == end;
        if (time >= window.begin_ns && (time < window.end_ns || last)) expected.add(trace[k], time);
      }
      CHECK(counted.all().messages == expected.all().messages);
      CHECK(counted.all().bytes == expected.all().bytes);
      for (int row = 0; row < counted.rows(); ++row)
        for (int column = 0; column < OverviewCounts::kColumns; ++column) {
          const auto &a = counted.cell(row, column), &b = expected.cell(row, column);
          if (a.messages != b.messages || a.bytes != b.bytes)
            FAIL("row " << row << ", column " << column);
        }
    }
  }
}

TEST_CASE("the parts of a run have the messages of the whole", "[diagrams]") {
  const Trace trace = made_up_ring(8, 20'000);
  const auto end = whole_time(trace).end_ns;
  std::uint64_t messages = 0;
  constexpr int kParts = 7;
  for (int i = 0; i < kParts; ++i)
    messages += count_window(trace, {end * i / kParts, end * (i + 1) / kParts}).all().messages;
  CHECK(messages == count_window(trace, whole_time(trace)).all().messages);
}

TEST_CASE("single messages of a window are those that are on their way in it", "[diagrams]") {
  const Trace trace = made_up_ring(8, 20'000);
  const auto all = messages(trace);
  for (const auto window : windows_of(trace)) {
    std::vector<SingleMessages::Message> expected;
    for (const auto& m : all) {
      const auto sent = trace.time_ns(m.sent);
      const auto received = trace.time_ns(m.received);
      const bool last = window.end_ns == whole_time(trace).end_ns && sent == window.end_ns;
      if (received < window.begin_ns || (sent >= window.end_ns && !last)) continue;
      expected.push_back({m.from, m.to, sent, received, m.bytes, m.sent, true});
    }
    INFO(window.begin_ns << " to " << window.end_ns);
    CHECK(single_messages(trace, window).messages == expected);
  }
}

TEST_CASE("a window is drawn on the page, with a clock, and near enough message by message",
          "[diagrams]") {
  const Trace trace = made_up_ring(8, 40'000);
  SpacetimeOptions options;
  options.width = 900;
  options.height = 420;
  for (const auto window : windows_of(trace)) {
    INFO(window.begin_ns << " to " << window.end_ns);
    const Scene scene = overview(trace, window, options, system_ruler());
    check_readable(scene);
    REQUIRE(scene.clock_axis);
    CHECK(scene.clock_axis->knots.front().time == static_cast<double>(window.begin_ns) / 1e3);
    const auto count = count_window(trace, window).all().messages;
    const auto arrows =
        std::ranges::count_if(scene.groups, [](const Group& g) { return g.id.starts_with('e'); });
    if (count > SingleMessages::kMost) CHECK(arrows == 0);
    else CHECK(static_cast<std::uint64_t>(arrows) >= count);
  }
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
  const std::string file = std::string(folder) + "/large.rankscope";
  test::look(overview_of_file(file, {}, system_ruler()), "large", Theme::Kind::light);
}

TEST_CASE("an overview by a file's summary has the sums of its events", "[diagrams]") {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("streamed-{}.rankscope", ::getpid());
  ::setenv("RANKSCOPE_STREAM_EVENTS", "2000", 1);  // longer windows are not read
  constexpr int kWorld = 5;
  {
    TraceWriter writer(path, test::MadeUpRing::meta(kWorld), 1);
    test::MadeUpRing ring(kWorld);
    for (std::uint64_t next = 1500; ring.made() < 30'000; next += 1500) {
      ring.run(writer, next);
      writer.flush();
    }
    writer.close(test::MadeUpRing::meta(kWorld));
  }
  const Trace trace = TraceReader::open(path);
  const auto run = StreamedTrace::open(path);
  const auto sums = [](const OverviewCounts& counts) {
    std::vector<std::uint64_t> all;
    for (int row = 0; row < counts.rows(); ++row) {
      std::uint64_t messages = 0;
      for (int column = 0; column < counts.kColumns; ++column)
        messages += counts.cell(row, column).messages;
      all.push_back(messages);
      for (int to = 0; to < counts.rows(); ++to) {
        std::uint64_t flow = 0;
        for (int era = 0; era < counts.kEras; ++era) flow += counts.flow(era, row, to).messages;
        all.push_back(flow);
      }
    }
    return all;
  };
  const TimeWindow whole = whole_time(trace);
  const OverviewCounts by_summary = count_window(*run, whole),
                       by_events = count_window(trace, whole);
  CHECK(by_summary.all().messages == by_events.all().messages);
  CHECK(by_summary.all().bytes == by_events.all().bytes);
  CHECK(sums(by_summary) == sums(by_events));
  // A part of the time: nearly so.
  const TimeWindow half{whole.end_ns / 4, whole.end_ns * 3 / 4};
  const auto near = static_cast<double>(count_window(*run, half).all().messages);
  CHECK(near ==
        Approx(static_cast<double>(count_window(trace, half).all().messages)).epsilon(0.02));
  // A short one is read: exactly, and drawn as that of the trace.
  const TimeWindow brief{whole.end_ns / 2, whole.end_ns / 2 + whole.end_ns / 100};
  CHECK(sums(count_window(*run, brief)) == sums(count_window(trace, brief)));
  check_readable(overview(*run, brief, {}, system_ruler()));
  check_readable(overview(*run, whole, {}, system_ruler()));
  ::unsetenv("RANKSCOPE_STREAM_EVENTS");
  std::filesystem::remove(path);
}
