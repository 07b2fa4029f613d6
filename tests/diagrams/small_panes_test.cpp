// What gives way in small panes, and what may never: letters keep their size, and no word says what is not so.
#include <algorithm>
#include <cmath>

#include "engine/core/base/error.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/grid/fitted_grid.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/stage/stage.h"
#include "tests/diagrams/graph_runs.h"
#include "tests/diagrams/many_runs.h"
#include "tests/diagrams/scenes.h"

using namespace rankscope;
using test::check_readable;
using test::kRuler;
using test::says;

namespace {

double width_of(std::string_view text) { return kRuler.width(text, kCaption); }

/// By group of this prefix: its first box.
std::vector<Box> boxes_of(const Scene& scene, std::string_view prefix) {
  std::vector<Box> boxes;
  std::int32_t last = -1;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.group == last || mark.kind == Mark::Kind::text) continue;
    if (!scene.groups[static_cast<std::size_t>(mark.group)].id.starts_with(prefix)) continue;
    boxes.push_back(mark.box);
    last = mark.group;
  }
  return boxes;
}

}  // namespace

TEST_CASE("names give up whole parts before they are cut", "[diagrams]") {
  const std::string phase = "II: broadcast from the root", nested = "group reduce / reduce";
  CHECK(fitted_phase(phase, 1000, width_of) == phase);
  CHECK(fitted_phase(phase, width_of(phase) - 1, width_of) == "II: broadcast");
  CHECK(fitted_phase(phase, width_of("II: broadc"), width_of) == "II");
  CHECK(fitted_phase(nested, width_of(nested) - 1, width_of) == "group reduce");
  CHECK(fitted_phase("allgather", width_of("allgat"), width_of) == "allga…");
  const std::string title = "allreduce.ring · 4 ranks · ipc";
  CHECK(fitted_parts(title, 1000, width_of) == title);
  CHECK(fitted_parts(title, width_of(title) - 1, width_of) == "allreduce.ring · 4 ranks");
  CHECK(fitted_parts(title, width_of("allreduce.ring ·"), width_of) == "allreduce.ring");
  CHECK(fitted_parts(title, width_of("allred"), width_of) == "allre…");
  CHECK(fitted_parts("", 10, width_of).empty());
}

TEST_CASE("beside a longer run, one that has ended is not blocked for ever", "[diagrams]") {
  const TraceAnalysis tree(test::run_of("allreduce.tree", 4)),
      ring(test::run_of("allreduce.ring", 4));
  CHECK_FALSE(says(comparison_pane(tree, ring, {}, 1200, 480, system_ruler()), "for ever"));
  const TraceAnalysis stuck(test::stuck_run_of(4));
  CHECK(says(comparison_pane(stuck, ring, {}, 1600, 480, system_ruler()), "for ever"));
}

TEST_CASE("two runs of many ranks are compared in a low pane, too", "[diagrams]") {
  // As in a lecture at 1280 × 720, where a torus is compared with itself without a link.
  const TraceAnalysis ring(test::run_of("allreduce.ring", 16));
  for (const auto clock : {SpacetimeOptions::Clock::measured, SpacetimeOptions::Clock::rounds}) {
    ComparisonOptions options;
    options.clock = clock;
    const Scene scene = comparison_pane(ring, ring, options, 832, 300, system_ruler());
    CHECK(scene.width == 832);
    for (const Mark& mark : scene.marks) CHECK(mark.box.x + mark.box.width <= 833);
  }
}

TEST_CASE("time × rank says once what stands on every arrow, and no step's number twice",
          "[diagrams]") {
  const auto options = spacetime_pane(1200, 700, SpacetimeOptions::Clock::rounds);
  const TraceAnalysis many(test::run_of("allreduce.bde", 16)),
      few(test::run_of("allreduce.bde", 8));
  const auto labels = [](const Scene& scene) {
    return std::ranges::count(scene.marks, "all", &Mark::text);
  };
  const Scene scene = spacetime(many, options, system_ruler());
  CHECK(labels(scene) == 0);
  CHECK(says(scene, " · each: all"));
  CHECK(labels(spacetime(few, options, system_ruler())) > 0);
  // Chunks differ, so each arrow has its own.
  CHECK(says(spacetime(TraceAnalysis(test::run_of("allreduce.ring", 16)), options, system_ruler()),
             "c3"));
  const Scene steps =
      spacetime(TraceAnalysis(test::run_with_wrong_result(4)), options, system_ruler());
  CHECK(std::ranges::count(steps.marks, "step 2", &Mark::text) == 1);
}

TEST_CASE("buffers name where data comes from as long as there is room for it", "[diagrams]") {
  BufferGridOptions options;
  options.in_flight = true;
  options.heading = false;
  const TraceAnalysis alltoall(test::run_of("alltoall.pairwise", 4));
  for (const double height : {190.0, 300.0}) {
    FittedGrids grids(alltoall, options, 880, height, system_ruler());
    const Scene scene = grids.draw(1);
    check_readable(scene);
    CHECK(scene.height <= height);
    CHECK(says(scene, "0→"));
  }
  const TraceAnalysis broadcast(test::run_of("broadcast.binomial", 16));
  CHECK(says(FittedGrids(broadcast, options, 880, 320, system_ruler()).draw(4), "0"));
}

TEST_CASE("what two ranks exchange stands side by side, so that neither hides the other",
          "[diagrams]") {
  BufferGridOptions options;
  options.in_flight = true;
  options.heading = false;
  const TraceAnalysis exchange(test::run_of("allreduce.bde", 4));
  FittedGrids grids(exchange, options, 1000, 560, system_ruler());
  const auto chips = boxes_of(grids.draw(1), "send-");
  REQUIRE(chips.size() == 4);
  for (const auto& [down, up] : {std::pair(0, 2), {1, 3}})
    CHECK(chips[static_cast<std::size_t>(down)].right() < chips[static_cast<std::size_t>(up)].x);
}

TEST_CASE("stage: partners of an exchange on 8 ranks are an edge of a cube apart, or side by side",
          "[diagrams]") {
  // Each message carries its slots: on each card and on its way two of eight.
  const auto slots_of = [](const Scene& scene) {
    return std::ranges::count_if(scene.marks, [](const Mark& mark) {
      return mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::whole;
    });
  };
  const TraceAnalysis exchange(test::registry_trace("allreduce.bde", 8));
  // In a window of 1280 x 720 two of them could not pass between the cards of a cube.
  Stage low(exchange, {.width = 864, .height = 340, .heading = false}, system_ruler());
  CHECK(low.form() == StageForm::partners);
  CHECK(slots_of(low.at(1.6)) == 2 * 8 * 2);
  for (Rank rank = 0; rank < 8; ++rank)
    for (const int round : {1, 2, 3})
      CHECK(low.card(rank, round).x == low.card(rank ^ (1 << (round - 1)), round).x);
  Stage stage(exchange, {.width = 1600, .height = 760, .heading = false}, system_ruler());
  REQUIRE(stage.form() == StageForm::spread);
  const Scene scene = stage.at(1.4);
  check_readable(scene);
  CHECK(slots_of(scene) == 2 * 8 * 2);
  std::vector<Box> cards;
  for (Rank rank = 0; rank < 8; ++rank) cards.push_back(stage.card(rank));
  for (Rank rank = 0; rank < 8; ++rank)
    for (const int bit : {1, 2, 4}) {
      const auto a = cards[static_cast<std::size_t>(rank & ~bit)].center(),
                 b = cards[static_cast<std::size_t>(rank | bit)].center(), from = cards[0].center(),
                 to = cards[static_cast<std::size_t>(bit)].center();
      CHECK(std::abs((b.x - a.x) - (to.x - from.x)) <= 1);
      CHECK(std::abs((b.y - a.y) - (to.y - from.y)) <= 1);
      for (Rank other = 0; other < 8; ++other) {
        if (other == (rank & ~bit) || other == (rank | bit)) continue;
        for (int k = 1; k < 20; ++k)
          CHECK_FALSE(cards[static_cast<std::size_t>(other)].contains(
              {a.x + (b.x - a.x) * k / 20, a.y + (b.y - a.y) * k / 20}));
      }
    }
}

TEST_CASE("time × rank: lanes of the score can be told apart up to 16 ranks", "[diagrams]") {
  for (const int ranks : {8, 16}) {
    const auto options =
        spacetime_pane(620, ranks == 8 ? 164 : 232, SpacetimeOptions::Clock::rounds);
    const Scene scene =
        spacetime(TraceAnalysis(test::registry_trace("allreduce.ring", ranks)), options, kRuler);
    check_readable(scene);
    std::vector<double> lanes;
    for (const Mark& mark : scene.marks)
      if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane)
        lanes.push_back(mark.box.center().y);
    REQUIRE(std::ssize(lanes) == ranks);
    for (std::size_t i = 1; i < lanes.size(); ++i) CHECK(lanes[i] - lanes[i - 1] >= 10);
  }
}

TEST_CASE("stage: cards stand opposite each other, and waits stay among small nodes",
          "[diagrams]") {
  Stage four(TraceAnalysis(test::run_of("alltoall.pairwise", 4)),
             {.width = 660, .height = 360, .heading = false}, system_ruler());
  const auto cards = boxes_of(four.at(0), "rank-");
  REQUIRE(cards.size() == 4);
  CHECK(cards[0].x == cards[2].x);
  CHECK(cards[1].y == cards[3].y);
  for (const int ranks : {8, 32, 64}) {
    CAPTURE(ranks);
    const TraceAnalysis stuck(test::stuck_run_of(ranks));
    Stage stage(stuck, {.width = 480, .height = 130, .heading = false}, system_ruler());
    const Scene scene = stage.at(stage.end());
    check_readable(scene);
    Box all = cards[0];
    const auto nodes = boxes_of(scene, "rank-");
    all = nodes.front();
    for (const Box& node : nodes) all = united(all, node);
    for (const Box& wait : boxes_of(scene, "wait-")) CHECK(wait.inside(all.grown(30)));
  }
}
