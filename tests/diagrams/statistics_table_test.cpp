// The statistics table and its verdicts against the lower bounds.
#include "engine/diagrams/table/statistics_table.h"

#include <algorithm>

#include "engine/core/base/error.h"
#include "engine/model/bandwidth.h"
#include "tests/diagrams/graph_runs.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::registry_trace;
using test::says;

namespace {
Verdicts judged(const std::string& name, int ranks, Count count) {
  const TraceAnalysis trace(registry_trace(name, ranks, count));
  return verdicts(trace);
}
}  // namespace

TEST_CASE("verdicts say how near a run comes to the lower bounds", "[diagrams]") {
  const Verdicts ring = judged("allreduce.ring", 8, 16);
  REQUIRE(ring.lines.size() == 3);
  CHECK(ring.lines[0].amount == "14");
  CHECK(ring.lines[0].bound == "at least 3");
  CHECK(ring.lines[1].amount == "1.75 D");
  CHECK(ring.lines[1].bound == "lower bound reached");
  CHECK(ring.data == "D = 64 B, the input of one rank");

  const Verdicts tree = judged("broadcast.binomial", 8, 16);
  CHECK(tree.lines[0].bound == "lower bound reached");
  CHECK(tree.lines[1].amount == "3 D");
  CHECK(tree.lines[1].bound == "at least D");
  CHECK(tree.lines[2].amount == "D");
  CHECK(tree.lines[2].reached);

  const Verdicts uneven = judged("allreduce.ring", 4, 17);
  CHECK(uneven.lines[1].reached);
  CHECK(uneven.lines[1].bound == "lower bound reached, except for chunks of different lengths");

  CHECK(judged("gather.flat", 4, 4).lines[2].bound == "lower bound reached");
  CHECK(judged("alltoall.bruck", 8, 16).lines[0].bound == "lower bound reached");
  CHECK(judged("alltoall.bruck", 8, 16).lines[1].amount == "1.5 D");
  CHECK(judged("p2p.ping", 2, 16).lines[0].amount == "2");
  CHECK(judged("p2p.ping", 2, 16).lines[0].reached);
}

TEST_CASE("no run undercuts a lower bound", "[diagrams]") {
  const int ranks = GENERATE(2, 3, 5, 8);
  for (const auto& algorithm : algorithms()) {
    INFO(algorithm.name << " on " << ranks);
    // A multiple of the number of ranks: chunks of equal lengths.
    const TraceAnalysis trace(registry_trace(std::string(algorithm.name), ranks, 8 * ranks));
    const Statistics found = trace.statistics();
    const CollectiveTraits& collective = traits(algorithm.collective);
    const bool empty = collective.in == Extent::nothing;
    const double data = empty ? 0 : 8.0 * ranks * 4 * (collective.counts_all_ranks() ? ranks : 1);
    const auto bounds = lower_bounds(algorithm.collective, ranks, data);
    double sent = 0, received = 0;
    for (const auto& rank : found.ranks) {
      sent = std::max(sent, static_cast<double>(rank.sent.bytes));
      received = std::max(received, static_cast<double>(rank.received.bytes));
    }
    CHECK(found.rounds >= bounds.rounds);
    CHECK(sent >= bounds.sent - 1e-6);
    CHECK(received >= bounds.received - 1e-6);
    CHECK(verdicts(trace).lines.size() == (empty ? 1 : 3));
  }
}

TEST_CASE("a run of an unknown program has numbers but no bounds", "[diagrams]") {
  const PlainRuler ruler;
  const TraceAnalysis trace(test::trace_of(3, test::ring_of(6)));
  CHECK(verdicts(trace).lines.empty());
  const Scene scene = statistics_table(trace, {}, ruler);
  test::check_tidy(scene);
  CHECK_THROWS_AS(statistics_table(TraceAnalysis(), {}, ruler), UserError);
}

TEST_CASE("in a pane the caption is not part of the picture", "[diagrams]") {
  const PlainRuler ruler;
  const TraceAnalysis trace(registry_trace("allreduce.ring", 4, 16));
  const Scene page = statistics_table(trace, {}, ruler);
  const Scene beside = statistics_table(trace, {.title = {}, .pane = true}, ruler);
  const Scene below =
      statistics_table(trace, {.title = {}, .pane = true, .bounds_below = true}, ruler);
  CHECK(says(page, "4 ranks"));
  for (const Scene* scene : {&beside, &below}) {
    CHECK_FALSE(says(*scene, "4 ranks"));
    CHECK(scene->description.starts_with("4 ranks · 6 rounds · 24 messages"));
    CHECK(says(*scene, "1.5 D"));
  }
  CHECK(below.width < beside.width);
}

TEST_CASE("the busiest rank is marked", "[diagrams]") {
  const PlainRuler ruler;
  const Scene scene =
      statistics_table(TraceAnalysis(registry_trace("broadcast.binomial", 8)), {}, ruler);
  const auto tag = std::ranges::find(scene.marks, "busiest", &Mark::text);
  REQUIRE(tag != scene.marks.end());
  CHECK(scene.groups.at(static_cast<std::size_t>(tag->group)).id == "rank-0");
}

TEST_CASE("a part of a run is counted alone, in the same places", "[diagrams]") {
  const PlainRuler ruler;
  const TraceAnalysis trace(registry_trace("allreduce.ring", 4, 16));
  const auto draw = [&](int until, int chunk) {
    return statistics_table(trace, {.title = "", .pane = true, .until = until, .chunk = chunk},
                            ruler);
  };
  const Scene all = draw(-1, -1), half = draw(3, -1), one = draw(-1, 1), early = draw(1, 1);
  CHECK(half.description.starts_with("4 ranks · after step 3 of 6 · 12 messages · 192 B"));
  CHECK(one.description.starts_with("4 ranks · 6 rounds · chunk 1 alone · 6 messages · 96 B"));
  CHECK(early.description.starts_with("4 ranks · after step 1 of 6 · chunk 1 alone · 1 message"));
  for (const Scene* scene : {&half, &one, &early}) {
    test::check_readable(*scene);
    CHECK(scene->width == all.width);
    REQUIRE(scene->marks.size() == all.marks.size());
    for (std::size_t i = 0; i < all.marks.size(); ++i)
      if (scene->marks[i].kind == Mark::Kind::text && scene->marks[i].text == all.marks[i].text)
        CHECK(scene->marks[i].origin == all.marks[i].origin);
  }
  CHECK(to_text(draw(6, -1)) == to_text(all));
  CHECK(to_text(draw(6, 99)) == to_text(all));  // no message carries such a chunk
  // A tree's messages carry all of the data: of each, only the chunk's share counts.
  const TraceAnalysis tree(registry_trace("broadcast.binomial", 4, 16));
  const Scene share = statistics_table(tree, {.title = "", .pane = true, .chunk = 1}, ruler);
  CHECK(share.description.starts_with("4 ranks · 2 rounds · chunk 1 alone · 3 messages · 48 B"));
}
