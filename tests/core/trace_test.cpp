// Traces in memory: causal order, gaps, definitions, seeking and snapshots.
#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "engine/core/trace/trace_builder.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;

namespace {

StepEvent event_of(Rank rank, std::uint32_t seq, std::int64_t time, EventKind kind, Verb verb,
                   OpId op, OpId cause = 0) {
  StepEvent event;
  event.rank = rank;
  event.seq = seq;
  event.begin_ns = event.time_ns = time;
  event.kind = kind;
  event.verb = verb;
  event.op = op;
  event.cause = cause;
  return event;
}

EventBatch batch_of(Rank rank, std::vector<StepEvent> events) {
  EventBatch batch;
  batch.rank = rank;
  batch.events = std::move(events);
  return batch;
}

/// Rank 0 sends at 1000; rank 1's clock is 900 behind.
std::vector<EventBatch> skewed() {
  const OpId send = make_op(0, 1), recv = make_op(1, 1);
  return {batch_of(0, {event_of(0, 0, 1000, EventKind::posted, Verb::send, send),
                       event_of(0, 1, 1010, EventKind::completed, Verb::send, send)}),
          batch_of(1, {event_of(1, 0, 50, EventKind::posted, Verb::recv, recv),
                       event_of(1, 1, 120, EventKind::matched, Verb::recv, recv, send),
                       event_of(1, 2, 125, EventKind::completed, Verb::recv, recv, send),
                       event_of(1, 3, 130, EventKind::local, Verb::compute, 0)})};
}

void check_order(const Trace& trace) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(trace.world_size()));
  std::vector<OpId> posted;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    REQUIRE(event.seq == next[static_cast<std::size_t>(event.rank)]++);
    if (k > 0) REQUIRE(trace.time_ns(k) >= trace.time_ns(k - 1));
    if (event.kind == EventKind::posted) posted.push_back(event.op);
    if (event.kind == EventKind::matched || event.kind == EventKind::completed)
      if (event.cause != 0) REQUIRE(std::ranges::find(posted, event.cause) != posted.end());
  }
}

void check_same_states(const std::vector<BufferState>& a, const std::vector<BufferState>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].buffer == b[i].buffer);
    REQUIRE(a[i].samples == b[i].samples);
    REQUIRE(a[i].known == b[i].known);
    REQUIRE(a[i].changed == b[i].changed);
  }
}

/// Without checkpoints.
std::vector<BufferState> replayed(const Trace& trace, Cursor cursor) {
  BufferReplay replay;
  const auto buffers = trace.definitions(Definition::Kind::buffer);
  for (Cursor k = 0; k < cursor; ++k) replay.apply(trace[k], k, trace.preview(k), buffers);
  return replay.states(buffers);
}

std::vector<std::int64_t> values_of(const BufferState& state) {
  std::vector<std::int64_t> values(state.samples.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), state.samples.data(), state.samples.size());
  return values;
}

bool all_known(const BufferState& state) {
  return std::ranges::all_of(state.known, [](bool known) { return known; });
}

}  // namespace

TEST_CASE("a receive is never shown before its send", "[core][trace]") {
  SECTION("it is moved, and what its rank did later with it") {
    const Trace trace = make_trace(skewed());
    REQUIRE(trace.size() == 6);
    check_order(trace);
    CHECK(trace[0].rank == 1);
    CHECK(trace[1].op == make_op(0, 1));
    for (std::uint64_t k = 0; k < trace.size(); ++k) {
      INFO(k);
      const bool late = trace[k].rank == 1 && trace[k].seq > 0;
      CHECK(trace.clamped(k) == late);
      if (late) CHECK(trace.time_ns(k) == 950);
    }
  }
  SECTION("clock offsets make moving unnecessary") {
    TraceMeta meta;
    meta.clock_offset_ns = {0, 900};
    const Trace trace = make_trace(skewed(), meta);
    check_order(trace);
    for (std::uint64_t k = 0; k < trace.size(); ++k) CHECK_FALSE(trace.clamped(k));
    CHECK(trace.time_ns(5) == 80);
    CHECK(trace.at_time(50) == 1);
    CHECK(trace.at_time(51) == 2);
    CHECK(trace.at_time(1000) == 6);
  }
  SECTION("offsets that come late count for everything") {
    TraceBuilder builder;
    for (auto& batch : skewed()) builder.deliver(std::move(batch));
    const Trace before = builder.finish();
    TraceMeta meta;
    meta.clock_offset_ns = {0, 900};
    builder.set_meta(meta);
    CHECK(builder.finish().time_ns(5) == 80);
    CHECK(before.time_ns(5) == 960);
  }
  SECTION("a rendezvous send is matched by its receive") {
    check_order(test::trace_of(4, test::ring_of(16), TraceLevel::light, SendMode::rendezvous));
  }
  SECTION("a receive whose send was lost waits for more, and is shown at the end") {
    auto batches = skewed();
    TraceBuilder builder;
    builder.deliver(std::move(batches[1]));
    CHECK(builder.snapshot().size() == 1);
    CHECK(builder.finish().size() == 4);
    builder.deliver(std::move(batches[0]));
    const Trace whole = builder.snapshot();
    CHECK(whole.size() == 6);
    check_order(whole);
  }
  SECTION("ranks that wait for each other in a circle do not hang the merge") {
    const OpId a = make_op(0, 1), b = make_op(1, 1);
    const Trace trace =
        make_trace({batch_of(0, {event_of(0, 0, 5, EventKind::matched, Verb::recv, 99, b),
                                 event_of(0, 1, 6, EventKind::posted, Verb::send, a)}),
                    batch_of(1, {event_of(1, 0, 7, EventKind::matched, Verb::recv, 98, a),
                                 event_of(1, 1, 8, EventKind::posted, Verb::send, b)})});
    CHECK(trace.size() == 4);
  }
}

TEST_CASE("gaps in a rank's numbers are found", "[core][trace]") {
  auto events = std::vector<StepEvent>{
      event_of(2, 0, 5, EventKind::local, Verb::compute, 0),
      event_of(2, 4, 6, EventKind::local, Verb::compute, 0),
      event_of(2, 5, 7, EventKind::local, Verb::compute, 0),
      event_of(2, 7, 8, EventKind::local, Verb::compute, 0),
  };
  const Trace trace = make_trace({batch_of(2, events)});
  CHECK(trace.gaps() == std::vector<std::pair<Rank, std::uint64_t>>{{2, 4}});
  CHECK(trace.world_size() == 3);
  CHECK(test::trace_of(3, test::ring_of(7)).gaps().empty());
}

TEST_CASE("definitions get one number for all ranks", "[core][trace]") {
  const Trace trace = test::trace_of(3, [](Communicator& comm) {
    if (comm.rank() == 1) auto only_here = comm.phase("only here");
    auto both = comm.phase("everywhere");
    Buffer data = Buffer::of(std::vector<std::int32_t>{comm.rank()});
    comm.watch("data", data);
  });
  const auto phases = trace.definitions(Definition::Kind::phase);
  CHECK(phases.size() == 2);
  CHECK(trace.definitions(Definition::Kind::buffer).size() == 3);
  CHECK(trace.definitions(Definition::Kind::comm).size() == 1);
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    if (trace[k].kind == EventKind::watch) {
      const auto* buffer = trace.definition(Definition::Kind::buffer, trace[k].out_buffer);
      REQUIRE(buffer != nullptr);
      CHECK(buffer->rank == trace[k].rank);
      const auto* phase = trace.definition(Definition::Kind::phase, trace[k].phase);
      REQUIRE(phase != nullptr);
      CHECK(phase->name == "everywhere");
    }
  }
  CHECK(trace.definition(Definition::Kind::phase, 0) == nullptr);
  CHECK(trace.definition(Definition::Kind::phase, 9) == nullptr);
}

TEST_CASE("batches of other jobs are dropped", "[core][trace]") {
  auto batches = skewed();
  batches[0].epoch = batches[1].epoch = 4;
  auto stale = batches[0];
  stale.epoch = 3;
  TraceBuilder builder({}, 4);
  builder.deliver(std::move(stale));
  for (auto& batch : batches) builder.deliver(std::move(batch));
  CHECK(builder.dropped() == 2);
  CHECK(builder.finish().size() == 6);
  CHECK_THROWS_AS(builder.deliver(batch_of(-1, {})), FormatError);
}

TEST_CASE("seeking equals replaying from the beginning", "[core][trace]") {
  const int times = GENERATE(1, 150);  // the longer one has checkpoints
  const Trace trace = test::trace_of(4, test::ring_of(10, times));
  REQUIRE(trace.definitions(Definition::Kind::buffer).size() == 4);
  const Cursor step = times == 1 ? 1 : 997;
  for (Cursor cursor = 0; cursor <= trace.size(); cursor += step)
    check_same_states(trace.seek(cursor), replayed(trace, cursor));
  for (Cursor cursor = trace.size() + 1; cursor-- > 0; cursor -= std::min(cursor, step - 1))
    check_same_states(trace.seek(cursor), replayed(trace, cursor));
  const auto start = trace.seek(0);
  for (const auto& state : start) CHECK_FALSE(state.known[0]);
  for (const auto& state : trace.seek(trace.size() + 5)) {
    CHECK(all_known(state));
    CHECK(state.changed > 0);
    if (times == 1)
      CHECK(values_of(state) ==
            std::vector<std::int64_t>{600, 604, 608, 612, 616, 620, 624, 628, 632, 636});
  }
}

TEST_CASE("a light trace knows no contents", "[core][trace]") {
  const Trace trace = test::trace_of(3, test::ring_of(6), TraceLevel::light);
  for (const auto& state : trace.seek(trace.size())) {
    CHECK(std::ranges::none_of(state.known, [](bool known) { return known; }));
    CHECK(state.changed > 0);
  }
}

TEST_CASE("large buffers are sampled", "[core][trace]") {
  constexpr Count kCount = 10007;
  const Trace trace = test::trace_of(3, test::ring_of(kCount));
  const Sampling sampling(kCount);
  for (const auto& state : trace.seek(trace.size())) {
    REQUIRE(state.known.size() == static_cast<std::size_t>(Sampling::kSamples));
    CHECK(all_known(state));
    const auto values = values_of(state);
    for (Count s = 0; s < sampling.size(); ++s)
      CHECK(values[static_cast<std::size_t>(s)] == 300 + 3 * sampling.position(s));
  }
}

TEST_CASE("a change that was not recorded makes the old value unknown", "[core][trace]") {
  auto batches = test::record(1, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>{1, 2, 3, 4});
    comm.watch("data", data);
    comm.touch(data[{1, 2}]);
  });
  batches.back().events.back().preview = 0;
  const Trace trace = make_trace(batches);
  const auto states = trace.seek(trace.size());
  REQUIRE(states.size() == 1);
  CHECK(states[0].known == std::vector<bool>{true, false, false, true});
}

TEST_CASE("snapshots of a growing trace agree with the whole", "[core][trace]") {
  const auto seed = GENERATE(1u, 2u, 3u, 4u);
  std::mt19937 random(seed);
  const auto batches = test::record(4, test::ring_of(9, 60));
  TraceMeta meta;
  meta.clock_offset_ns = {0, seed % 2 == 0 ? 200000 : 0, -50000, 0};
  // Batches in small pieces, in an order that keeps only each rank's own.
  std::vector<std::vector<EventBatch>> pieces(4);
  for (const auto& batch : batches)
    for (std::size_t at = 0; at < batch.events.size(); at += 50) {
      EventBatch piece = batch;
      piece.events.assign(batch.events.begin() + static_cast<std::ptrdiff_t>(at),
                          batch.events.begin() +
                              static_cast<std::ptrdiff_t>(std::min(at + 50, batch.events.size())));
      if (at > 0) piece.definitions.clear();
      pieces[static_cast<std::size_t>(batch.rank)].push_back(std::move(piece));
    }
  TraceBuilder builder(meta);
  std::vector<std::pair<Trace, std::vector<BufferState>>> snapshots;
  std::vector<std::size_t> next(4);
  while (true) {
    std::vector<std::size_t> left;
    for (std::size_t r = 0; r < 4; ++r)
      if (next[r] < pieces[r].size()) left.push_back(r);
    if (left.empty()) break;
    const auto r = left[random() % left.size()];
    builder.deliver(EventBatch(pieces[r][next[r]++]));
    if (random() % 3 == 0) {
      Trace snapshot = builder.snapshot();
      check_order(snapshot);
      auto states = snapshot.seek(snapshot.size());
      snapshots.emplace_back(std::move(snapshot), std::move(states));
    }
  }
  const Trace live = builder.finish();
  const Trace whole = make_trace(batches, meta);
  REQUIRE(live.size() == whole.size());
  for (std::uint64_t k = 0; k < whole.size(); ++k) {
    REQUIRE(live[k].rank == whole[k].rank);
    REQUIRE(live[k].seq == whole[k].seq);
    REQUIRE(live.time_ns(k) == whole.time_ns(k));
  }
  for (Cursor cursor = 0; cursor <= whole.size(); cursor += 501)
    check_same_states(live.seek(cursor), replayed(live, cursor));
  for (const auto& [snapshot, states] : snapshots)  // later snapshots left them alone
    check_same_states(replayed(snapshot, snapshot.size()), states);
}

TEST_CASE("snapshots are taken while events arrive", "[core][trace]") {
  auto batches = test::record(3, test::ring_of(5, 100));
  TraceBuilder builder;
  std::thread writer([&] {
    for (auto& batch : batches) builder.deliver(std::move(batch));
  });
  std::uint64_t seen = 0;
  for (int i = 0; i < 50; ++i) {
    const Trace trace = builder.snapshot();
    for (std::uint64_t k = 1; k < trace.size(); ++k)
      if (trace.time_ns(k) < trace.time_ns(k - 1)) FAIL("out of order");
    if (!trace.seek(trace.size()).empty()) seen = std::max(seen, trace.size());
  }
  writer.join();
  const Trace trace = builder.finish();
  CHECK(trace.size() >= seen);
  check_order(trace);
}

TEST_CASE("a line of ours that a program has called stands for the program's line") {
  Recorder recorder(0, nullptr, nullptr);
  const auto alone = recorder.site(std::source_location::current(), 0);
  const auto call = recorder.site("student.py", "main", 12, 0);
  const auto inside = recorder.site(std::source_location::current(), call);
  const auto deeper = recorder.site(std::source_location::current(), inside);
  CHECK(std::string_view(recorder.site_of(alone).file).ends_with("trace_test.cpp"));
  for (const auto site : {call, inside, deeper}) {
    CHECK(std::string_view(recorder.site_of(site).file) == "student.py");
    CHECK(recorder.site_of(site).line == 12);
  }
  const auto own = recorder.phase("reduce-scatter", recorder.phase("mine", 0));
  const auto built_in = recorder.phase("reduce-scatter", recorder.phase("built-in allreduce", 0));
  CHECK(recorder.phase_name(own) == "reduce-scatter");
  CHECK(recorder.phase_name(built_in) == "built-in allreduce");
}
