// What a selection makes strong in each diagram, and what it dims.
#include "engine/diagrams/emphasis.h"

#include <algorithm>

#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/fitted_grid.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/table/statistics_table.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"

using namespace rankscope;

namespace {

struct Counts {
  std::ptrdiff_t strong = 0, dimmed = 0;
};

Counts counts_of(const Scene& scene, const TraceAnalysis& analysis, const SceneChoice& choice,
                 CellMeaning cells) {
  const auto all = emphasis(scene, analysis, choice, cells);
  REQUIRE(all.size() == scene.groups.size());
  return {std::ranges::count(all, Emphasis::strong), std::ranges::count(all, Emphasis::dimmed)};
}

Scene grid_of(const TraceAnalysis& analysis) {
  BufferGridOptions options;
  options.in_flight = true;
  options.heading = false;
  FittedGrids grids(analysis, options, 900, 600, test::kRuler);
  return grids.draw(1);
}

}  // namespace

TEST_CASE("emphasis: a rank, a message and a chunk change every diagram", "[diagrams]") {
  const TraceAnalysis all(test::trace_of_algorithm("alltoall.pairwise", 4));
  const PlainRuler ruler;
  const std::pair<Scene, CellMeaning> scenes[] = {
      {spacetime(all, {}, ruler), CellMeaning::other},
      {grid_of(all), CellMeaning::rank_and_chunk},
      {traffic_matrix(all, {}, ruler), CellMeaning::from_and_to},
      {communication_graph(all, {}, ruler), CellMeaning::other},
      {statistics_table(all, {}, ruler), CellMeaning::other},
      {alltoall_schematic(all, {}, ruler), CellMeaning::other}};
  for (const auto& [scene, cells] : scenes) {
    CAPTURE(scene.title);
    for (const SceneChoice& choice : {SceneChoice{.message = 5}, SceneChoice{.rank = 2}}) {
      const Counts found = counts_of(scene, all, choice, cells);
      CHECK(found.strong > 0);
      CHECK(found.dimmed > 0);
    }
    CHECK(counts_of(scene, all, {}, cells).dimmed == 0);
  }
}

TEST_CASE("emphasis: a chunk's messages, links and cells", "[diagrams]") {
  const TraceAnalysis ring(test::trace_of_algorithm("allreduce.ring", 4));
  const PlainRuler ruler;
  // Six of the 24 messages carry chunk 1; they go over all links but one.
  const Counts arrows =
      counts_of(spacetime(ring, {}, ruler), ring, {.chunk = 1}, CellMeaning::other);
  CHECK(arrows.strong == 6);
  CHECK(arrows.dimmed == 18);
  const Counts cells = counts_of(grid_of(ring), ring, {.chunk = 1}, CellMeaning::rank_and_chunk);
  CHECK(cells.strong == 4 + 1);  // and what is sent next
  const Counts one =
      counts_of(grid_of(ring), ring, {.rank = 2, .chunk = 1}, CellMeaning::rank_and_chunk);
  CHECK(one.strong == 1 + 1);
  const TraceAnalysis scatter(test::trace_of_algorithm("scatter.flat", 4));
  const Counts links = counts_of(traffic_matrix(scatter, {}, ruler), scatter, {.chunk = 1},
                                 CellMeaning::from_and_to);
  CHECK(links.strong == 1);
  CHECK(links.dimmed == 2);
}

TEST_CASE("the matrix counts up to the cursor, in cells that stay", "[diagrams]") {
  const TraceAnalysis ring(test::trace_of_algorithm("allreduce.ring", 4, 4));
  const PlainRuler ruler;
  const auto drawn = [&](int until) {
    return traffic_matrix(
        ring, {.of = MatrixOptions::Of::bytes, .title = "", .pane = true, .until = until}, ruler);
  };
  const Scene whole = drawn(-1), start = drawn(0), half = drawn(3);
  CHECK(start.description.find("0 B at the start") != std::string::npos);
  CHECK(half.description.find("after step 3 of 6") != std::string::npos);
  CHECK(drawn(6).description == whole.description);
  for (const Scene* scene : {&start, &half})
    CHECK((scene->width == whole.width && scene->height == whole.height));
}
