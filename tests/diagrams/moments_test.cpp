// Many moments of one trace: the same as each one alone, and ranges of them.
#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/grid/grid_model.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"
#include "tests/support/made_up_run.h"

using namespace rankscope;
using test::kRuler;
using test::says;
using test::trace_of_algorithm;

namespace {

std::vector<std::string> stories(const Scene& scene) {
  std::vector<std::string> all;
  for (const Group& group : scene.groups) all.push_back(group.id + ": " + group.story);
  return all;
}

}  // namespace

TEST_CASE("moments of rounds are those of the diagram with a clock", "[diagrams]") {
  for (const char* name : {"allreduce.ring", "allreduce.rabenseifner", "alltoall.pairwise"})
    for (const int first : {1, 2}) {
      CAPTURE(name, first);
      const TraceAnalysis trace(trace_of_algorithm(name, 5));
      SpacetimeOptions options;
      options.first_round = first;
      const auto expected = moments_of(trace, spacetime(trace, options, kRuler), true, first);
      const auto moments = round_moments(trace, first);
      REQUIRE(moments.size() == expected.size());
      for (std::size_t i = 0; i < moments.size(); ++i) {
        CAPTURE(i);
        CHECK(moments[i].now == expected[i].now);
        CHECK(moments[i].name == expected[i].name);
        CHECK(moments[i].phase == expected[i].phase);
        CHECK(moments[i].caption == expected[i].caption);
      }
    }
}

TEST_CASE("a run that is merged in the overview still has all its moments", "[diagrams]") {
  test::MadeUpRun run(70);
  for (int round = 0; round < 5; ++round)
    for (Rank rank = 0; rank < 70; rank += 2)
      run.message(rank, rank + 1, 10000 * round + 100, 10000 * round + 5000);
  const TraceAnalysis trace(run.trace());
  SpacetimeOptions options;
  REQUIRE(needs_overview(trace, options));
  const Scene merged = spacetime(trace, options, kRuler);
  const auto moments = moments_of(trace, merged, true);
  CHECK(moments.size() == static_cast<std::size_t>(trace.rounds().count) + 1);
  CHECK(moments[1].caption.ends_with(", and 27 more"));
  CHECK(round_moments(trace, 2, 3).size() == 3);
  CHECK(round_moments(trace, 2, 3)[0].caption == "before step 2");
}

TEST_CASE("grids of many moments are those of each one", "[diagrams]") {
  using Show = BufferGridOptions::Show;
  for (const char* name : {"allreduce.ring", "allgather.bruck", "alltoall.pairwise"})
    for (const auto show : {Show::contributions, Show::values}) {
      CAPTURE(name);
      const TraceAnalysis trace(trace_of_algorithm(name, 6));
      BufferGridOptions options;
      options.show = show;
      options.in_flight = true;
      const int last = trace.rounds().count;
      const auto scenes = buffer_grids(trace, options, 0, last, kRuler);
      REQUIRE(static_cast<int>(scenes.size()) == last + 1);
      for (int round = 0; round <= last; ++round) {
        const Scene& scene = scenes[static_cast<std::size_t>(round)];
        options.round = round;
        CHECK(stories(scene) == stories(buffer_grid(trace, options, kRuler)));
        CHECK(scene.width == scenes[0].width);
        CHECK(scene.height == scenes[0].height);
        test::check_readable(scene);
      }
      CHECK_THROWS_AS(buffer_grids(trace, options, 2, 1, kRuler), UserError);
      CHECK_THROWS_AS(buffer_grids(trace, options, 0, last + 2, kRuler), UserError);
    }
}

TEST_CASE("a grid's moments may be asked for in any order", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.ring", 4));
  BufferGridOptions options;
  options.show = BufferGridOptions::Show::values;
  GridSource source(trace, options);
  for (const int round : {4, 0, 5, 6, 5, 0, 1, 1, 6, 2}) {
    CAPTURE(round);
    const GridModel model = source.at(round), alone = GridSource(trace, options).at(round);
    for (std::size_t r = 0; r < model.rows.size(); ++r)
      for (std::size_t c = 0; c < model.rows[r].cells.size(); ++c) {
        CHECK(model.rows[r].cells[c].values == alone.rows[r].cells[c].values);
        CHECK(model.rows[r].cells[c].changed == alone.rows[r].cells[c].changed);
      }
  }
}

TEST_CASE("a grid's cells that differ between two moments are all that differ", "[diagrams]") {
  const auto name = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.hierarchical",
                             "gather.binomial", "broadcast.binomial", "alltoall.bruck");
  const TraceAnalysis trace(trace_of_algorithm(name, 8));
  BufferGridOptions options;
  options.show = name == "allreduce.hierarchical" ? BufferGridOptions::Show::values
                                                  : BufferGridOptions::Show::contributions;
  GridSource source(trace, options);
  std::size_t made = 0, all = 0;
  for (int before = -1; const int round : {0, 1, 2, 3, 1, 3, source.last(), 0, 2}) {
    if (round > source.last()) continue;
    CAPTURE(name, before, round);
    // A moment of which every cell is known is brought to the next one.
    const GridModel model = GridSource(trace, options).at(round);
    GridModel now = GridSource(trace, options).at(std::max(before, 0));
    for (Rank rank = 0; rank < 8; ++rank) {
      auto& cells = now.rows[static_cast<std::size_t>(rank)].cells;
      const auto fresh = source.cells_unlike(rank, round, before);
      if (before < 0) CHECK(fresh.size() == cells.size());
      for (const auto& [column, cell] : fresh) cells[static_cast<std::size_t>(column)] = cell;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const DataCell& right = model.rows[static_cast<std::size_t>(rank)].cells[c];
        CHECK(cells[c].same_contents(right));
        CHECK(cells[c].elements.count == right.elements.count);
        CHECK(cells[c].complete == right.complete);
        CHECK(cells[c].elsewhere == right.elsewhere);
      }
      made += fresh.size();
      all += cells.size();
    }
    before = round;
  }
  if (name == "allreduce.ring") CHECK(made < all / 2);
}

TEST_CASE("graphs of many rounds are those of each one", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.rabenseifner", 8));
  const int last = trace.rounds().count;
  const auto scenes = communication_graphs(trace, {}, 0, last, kRuler);
  REQUIRE(static_cast<int>(scenes.size()) == last + 1);
  for (int round = 0; round <= last; ++round) {
    GraphOptions options;
    options.round = round;
    const Scene& scene = scenes[static_cast<std::size_t>(round)];
    CHECK(stories(scene) == stories(communication_graph(trace, options, kRuler)));
    CHECK(scene.width == scenes[0].width);
  }
}

TEST_CASE("stills of some steps: the buffers after the last, the messages of all", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.ring", 4));
  BufferGridOptions grid;
  grid.round = BufferGridOptions::kEnd;
  grid.first_round = 2;
  grid.last_round = 3;
  CHECK(says(buffer_grid(trace, grid, kRuler), "After round 3 of 6"));
  GraphOptions graph;
  graph.first_round = 2;
  graph.last_round = 3;
  const Scene scene = communication_graph(trace, graph, kRuler);
  CHECK(says(scene, "steps 2 to 3 of 6 · 8 messages"));
  for (const auto& [first, last, why] :
       {std::tuple(2, 7, "steps 2:7 are outside of the run, which has steps 1:6"),
        std::tuple(7, 0, "outside of the run, which has steps 1:6"),
        std::tuple(3, 2, "steps 3:2 end before they begin: this run has steps 1:6")}) {
    grid.first_round = graph.first_round = first;
    grid.last_round = graph.last_round = last;
    CHECK_THROWS_WITH(buffer_grid(trace, grid, kRuler), Catch::Contains(why));
    CHECK_THROWS_WITH(communication_graph(trace, graph, kRuler), Catch::Contains(why));
    CHECK_THROWS_WITH(round_moments(trace, first, last), Catch::Contains(why));
  }
}
