// Parts of an analysis: made once, by the first that asks, and as the functions make them that they come from.
#include "engine/analysis/trace_analysis.h"

#include <thread>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using Part = TraceAnalysis::Part;

TEST_CASE("nothing of a trace is computed before somebody asks for it", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(8)));
  const auto parts = {Part::rounds,        Part::cuts,       Part::pieces,
                      Part::contributions, Part::statistics, Part::findings};
  for (const Part part : parts) CHECK(run.computed(part) == 0);
  CHECK(run.rounds().count == 6);
  CHECK(run.computed(Part::rounds) == 1);
  for (const Part part : parts)
    if (part != Part::rounds) CHECK(run.computed(part) == 0);
}

TEST_CASE("parts of an analysis use each other and are made once", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(8)));
  const TraceAnalysis copy = run;
  for (const TraceAnalysis& one : {run, copy}) {
    CHECK(one.statistics().rounds == 6);
    CHECK(one.cuts().cut.size() == 4);
    CHECK(one.contents().after(6).size() == 4);
    CHECK(one.contributions().at({}).size() == 4);
    CHECK(one.messages().size() == one.rounds().round.size());
    CHECK(one.findings().empty());
  }
  for (const Part part : {Part::rounds, Part::cuts, Part::pieces, Part::contributions,
                          Part::statistics, Part::findings})
    CHECK(copy.computed(part) == 1);
  CHECK(&run.rounds() == &copy.rounds());
  CHECK(run.rounds().round == rounds(run.trace()).round);
  CHECK(run.statistics().total == statistics(run.trace(), run.rounds()).total);
  CHECK(run.contributions().of(1, run.trace().size()) ==
        Contributions(run.trace(), Pieces(run.trace())).of(1, run.trace().size()));
}

TEST_CASE("threads that ask at the same time get the same part", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(64, 20)));
  std::vector<std::thread> askers;
  std::vector<const Statistics*> found(8);
  for (const Statistics*& one : found)
    askers.emplace_back([&one, copy = run] { one = &copy.statistics(); });
  for (std::thread& asker : askers) asker.join();
  for (const Statistics* one : found) CHECK(one == found[0]);
  CHECK(run.computed(Part::statistics) == 1);
  CHECK(run.computed(Part::rounds) == 1);
}

TEST_CASE("a part that cannot be computed says so to everybody who asks", "[analysis]") {
  TraceMeta meta;
  meta.world_size = Contributions::kMostRanks + 1;
  const TraceAnalysis run(make_trace({}, meta));
  CHECK_THROWS_AS(run.contributions(), UserError);
  CHECK_THROWS_AS(run.contributions(), UserError);
  CHECK(run.computed(Part::contributions) == 0);
}

TEST_CASE("of a long trace no rounds are kept for the sake of its statistics", "[analysis]") {
  std::vector<EventBatch> batches(1);
  batches[0].events.resize(TraceAnalysis::kManyEvents + 1);
  for (std::size_t i = 0; i < batches[0].events.size(); ++i) {
    StepEvent& event = batches[0].events[i];
    event.kind = EventKind::local;
    event.verb = Verb::compute;
    event.seq = static_cast<std::uint32_t>(i);
    event.time_ns = static_cast<std::int64_t>(i);
  }
  TraceMeta meta;
  meta.world_size = 1;
  const TraceAnalysis run(make_trace(std::move(batches), meta));
  REQUIRE(run.large());
  CHECK(run.statistics().events == run.trace().size());
  CHECK(run.computed(Part::rounds) == 1);  // and dropped
  CHECK(run.rounds().count == 0);
  CHECK(run.computed(Part::rounds) == 2);
  CHECK(run.rounds().count == run.statistics().rounds);
  CHECK(run.computed(Part::rounds) == 2);
}
