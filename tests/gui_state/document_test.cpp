// Documents: stops, rounds, cursors and moments of traces.
#include "gui/state/run/document.h"

#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/table/statistics_table.h"
#include "gui/state/run/session.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {
constexpr ClockBase kClocks[] = {ClockBase::rounds, ClockBase::measured};
}

TEST_CASE("document: a ring of four", "[gui_state]") {
  const auto document = Document::make(trace_of_algorithm("allreduce.ring", 4), "a.rankscope");
  CHECK(document->path() == "a.rankscope");
  CHECK_FALSE(document->empty());
  CHECK_FALSE(document->large());
  CHECK(document->world_size() == 4);
  CHECK(document->headline() == "allreduce.ring · 4 ranks · 8 × float32 · inproc");
  CHECK(document->stops(ClockBase::rounds) == std::vector<double>{0, 1, 2, 3, 4, 5, 6});
  CHECK(document->end(ClockBase::rounds) == 6);
  CHECK(document->stops(ClockBase::measured).front() == 0);
  CHECK(document->stops(ClockBase::measured).back() == document->end(ClockBase::measured));
  CHECK(std::ranges::is_sorted(document->stops(ClockBase::measured)));
  const auto& phases = document->phases(ClockBase::rounds);
  REQUIRE(phases.size() == 2);
  CHECK_THAT(phases[0].name, ContainsSubstring("reduce-scatter"));
  CHECK(phases[0].begin == 0);
  CHECK(phases[0].end == 3);
  CHECK_THAT(phases[1].name, ContainsSubstring("allgather"));
  CHECK(phases[1].begin == 3);
  CHECK(phases[1].end == 6);
  CHECK(document->phases(ClockBase::measured).size() == 2);
  for (Rank rank = 0; rank < 4; ++rank)  // all take part in each round
    CHECK(document->stops_of(ClockBase::rounds, rank) == document->stops(ClockBase::rounds));
}

TEST_CASE("document: of a broadcast, a leaf takes part in its own round only", "[gui_state]") {
  const auto document = Document::make(trace_of_algorithm("broadcast.binomial", 8), "");
  CHECK(document->end(ClockBase::rounds) == 3);
  CHECK(document->stops_of(ClockBase::rounds, 0) == std::vector<double>{0, 1, 2, 3});
  CHECK(document->stops_of(ClockBase::rounds, 7).size() == 2);
}

TEST_CASE("document: cursors at the ends", "[gui_state]") {
  const auto document = Document::make(trace_of_algorithm("allreduce.ring", 4), "");
  const auto size = document->trace().size();
  for (const auto clock : kClocks) {
    CHECK(document->cursor(clock, document->end(clock)) == size);
    CHECK(document->cursor(clock, 1e18) == size);
    CHECK(document->cursor(clock, 0) < size);
    CHECK(document->cursors(clock, 0).size() == 4);
    CHECK(document->cursors(clock, document->end(clock)).size() == 4);
  }
  for (const auto cursor : document->cursors(ClockBase::measured, 1e18)) CHECK(cursor == size);
}

TEST_CASE("document: the moment of an event is the one at which it has happened", "[gui_state]") {
  for (const auto* name : {"allreduce.ring", "broadcast.binomial", "allreduce.rabenseifner"}) {
    const auto document = Document::make(trace_of_algorithm(name, 5), "");
    const auto& trace = document->trace();
    for (const auto clock : kClocks)
      for (std::uint64_t k = 0; k < trace.size(); ++k) {
        const auto rank = static_cast<std::size_t>(trace[k].rank);
        const double moment = document->moment_of(clock, k);
        CHECK(document->cursors(clock, moment)[rank] > k);
        const double before = clock == ClockBase::rounds ? moment - 1 : moment - 0.001;
        if (before >= 0) CHECK(document->cursors(clock, before)[rank] <= k);
      }
    CHECK(document->moment_of(ClockBase::rounds, trace.size()) == document->end(ClockBase::rounds));
  }
}

TEST_CASE("document: a round is over when its messages, and all before, have arrived",
          "[gui_state]") {
  for (const auto* name : {"allreduce.ring", "broadcast.binomial", "allreduce.rabenseifner"}) {
    const auto document = Document::make(trace_of_algorithm(name, 7), "");
    const auto& rounds = document->rounds();
    std::vector<double> moments = document->stops(ClockBase::measured);
    for (const double stop : document->stops(ClockBase::measured)) moments.push_back(stop - 0.0005);
    for (const double moment : moments) {
      int first_open = rounds.count + 1;
      for (std::size_t i = 0; i < rounds.messages.size(); ++i)
        if (rounds.round[i] > 0 && document->arrives(ClockBase::measured, i) > moment)
          first_open = std::min(first_open, rounds.round[i]);
      CHECK(document->rounds_done(ClockBase::measured, moment) == first_open - 1);
    }
    for (int round = 0; round <= rounds.count; ++round)
      CHECK(document->rounds_done(ClockBase::rounds, round + 0.5) == round);
  }
}

TEST_CASE("document: messages leave before they arrive", "[gui_state]") {
  const auto document = Document::make(trace_of_algorithm("allreduce.tree", 6), "");
  for (const auto clock : kClocks)
    for (std::size_t i = 0; i < document->rounds().messages.size(); ++i)
      CHECK(document->leaves(clock, i) <= document->arrives(clock, i));
}

TEST_CASE("document: all views share what was computed of the trace", "[gui_state]") {
  using Part = TraceAnalysis::Part;
  const auto document = Document::make(trace_of_algorithm("alltoall.pairwise", 4), "");
  const TraceAnalysis& run = document->analysis();
  const Ruler& ruler = system_ruler();
  for (int round = 0; round <= run.rounds().count; ++round) {
    spacetime(run, {}, ruler);
    needs_overview(run, {});
    buffer_grid(run, {.round = round}, ruler);
    GraphOptions graph;
    graph.round = round;
    communication_graph(run, graph, ruler);
    traffic_matrix(run, {}, ruler);
    statistics_table(run, {}, ruler);
    alltoall_schematic(run, {}, ruler);
    comparison_pane(run, run, {}, 800, 600, ruler);
    problems_of({}, document.get());
  }
  for (const Part part : {Part::rounds, Part::cuts, Part::pieces, Part::contributions,
                          Part::statistics, Part::findings})
    CHECK(run.computed(part) == 1);
  CHECK(&document->rounds() == &run.rounds());
}

TEST_CASE("document: of nothing", "[gui_state]") {
  const auto document = Document::make(Trace(), "");
  CHECK(document->empty());
  for (const auto clock : kClocks) {
    CHECK(document->end(clock) == 0);
    CHECK(document->stops(clock) == std::vector<double>{0});
    CHECK(document->phases(clock).empty());
    CHECK(document->cursor(clock, 1) == 0);
    CHECK(document->cursors(clock, 1).empty());
    CHECK(document->moment_of(clock, 3) == 0);
    CHECK(document->stops_of(clock, 0) == std::vector<double>{0});
  }
  CHECK(Document::make(Trace(), "")->id() != document->id());
}

TEST_CASE("document: a run without messages", "[gui_state]") {
  const auto document = Document::make(trace_of(1, ring_of(4)), "");
  CHECK(document->stops(ClockBase::rounds) == std::vector<double>{0});
  CHECK(document->cursor(ClockBase::rounds, 0) == document->trace().size());
  CHECK(document->cursors(ClockBase::rounds, 0).size() == 1);
}

TEST_CASE("document: of very many events is not analysed message by message", "[gui_state]") {
  EventBatch batch;
  batch.rank = 0;
  for (std::uint32_t i = 0; i <= Document::kManyEvents; ++i) {
    StepEvent event;
    event.rank = 0;
    event.seq = i;
    event.time_ns = event.begin_ns = i;
    event.kind = EventKind::local;
    event.verb = Verb::copy;
    batch.events.push_back(event);
  }
  std::vector<EventBatch> batches;
  batches.push_back(std::move(batch));
  TraceMeta meta;
  meta.world_size = 2;
  const auto document = Document::make(make_trace(std::move(batches), meta), "");
  CHECK(document->large());
  CHECK(document->rounds().messages.empty());
  CHECK(document->analysis().computed(TraceAnalysis::Part::cuts) == 0);
  CHECK(document->analysis().computed(TraceAnalysis::Part::pieces) == 0);
  for (const auto clock : kClocks) {
    CHECK(document->cursors(clock, document->end(clock)).size() == 2);
    CHECK(document->cursor(clock, document->end(clock)) == document->trace().size());
    CHECK(document->moment_of(clock, 100) >= 0);
  }
  CHECK(document->cursor(ClockBase::measured, 0.1) == 101);
}
