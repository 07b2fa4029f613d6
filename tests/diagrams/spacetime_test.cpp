// Time-vs-rank diagrams: layout of all algorithms, and approved pictures.
#include "engine/diagrams/spacetime/spacetime.h"

#include <cstdio>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/golden.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using test::check_readable;
using test::trace_of_algorithm;

TEST_CASE("space-time diagrams of all algorithms: no text on another, nothing outside",
          "[diagrams]") {
  const int ranks = GENERATE(1, 2, 3, 4, 5, 8, 16);
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name, ranks);
    const TraceAnalysis trace(trace_of_algorithm(algorithm.name, ranks));
    for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured})
      for (const bool portrait : {false, true}) {
        SpacetimeOptions options;
        options.clock = clock;
        options.portrait = portrait;
        options.labels = SpacetimeOptions::Labels::all;
        if (portrait && needs_overview(trace, options)) {  // which has no portrait
          CHECK_THROWS_AS(spacetime(trace, options, system_ruler()), UserError);
          continue;
        }
        const Scene scene = spacetime(trace, options, system_ruler());
        check_readable(scene);
        options.width = 1280;
        options.height = 720;
        check_readable(spacetime(trace, options, system_ruler()));
      }
  }
}

TEST_CASE("arrows begin and end on the lanes of their ranks, within their round", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.rabenseifner", 5));
  const Rounds expected = trace.rounds();
  const Scene scene = spacetime(trace, {}, system_ruler());
  std::vector<double> lanes, grid;
  for (const Mark& mark : scene.marks) {
    if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane)
      lanes.push_back(mark.box.center().y);
    if (mark.kind == Mark::Kind::path && mark.dotted) grid.push_back(mark.points.front().x);
  }
  REQUIRE(lanes.size() == 5);
  REQUIRE(static_cast<int>(grid.size()) == expected.count + 1);
  std::size_t arrows = 0;
  for (const Mark& mark : scene.marks) {
    if (!mark.arrow || mark.group < 0) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
    const auto m = static_cast<std::size_t>(std::stoul(id.substr(1)));
    const auto& message = expected.messages[m];
    const auto round = static_cast<std::size_t>(expected.round[m]);
    CAPTURE(id, message.from, message.to);
    CHECK(mark.points.front().y == Approx(lanes[static_cast<std::size_t>(message.from)]));
    CHECK(mark.points.back().y == Approx(lanes[static_cast<std::size_t>(message.to)]));
    CHECK(mark.points.front().x > grid[round - 1]);
    CHECK(mark.points.back().x < grid[round]);
    CHECK(mark.points.front().x < mark.points.back().x);
    ++arrows;
  }
  CHECK(arrows == expected.messages.size());
}

namespace {

// What does not depend on the clock: without stories, and messages numbered as they are drawn.
std::string approved_text(Scene scene) {
  int number = 0;
  for (Group& group : scene.groups) {
    if (group.id.front() == 'm') group.id = "m" + std::to_string(number++);
    group.story.clear();
  }
  return to_text(scene);
}

Trace left_ring() {
  JobSpec spec;
  spec.call.algorithm = "allreduce.ring";
  spec.call.shape = {8};
  spec.call.left_ring = true;
  return test::trace_of_job(spec);
}

}  // namespace

TEST_CASE("space-time diagrams as approved", "[diagrams]") {
  const PlainRuler ruler;
  SpacetimeOptions options;
  options.labels = SpacetimeOptions::Labels::all;
  test::check_golden("spacetime-ring-4",
                     approved_text(spacetime(TraceAnalysis(trace_of_algorithm("allreduce.ring", 4)),
                                             options, ruler)));
  test::check_golden("spacetime-homework-ring-4",
                     approved_text(spacetime(TraceAnalysis(left_ring()), options, ruler)));
  options.portrait = true;
  test::check_golden(
      "spacetime-rabenseifner-5-portrait",
      approved_text(spacetime(TraceAnalysis(trace_of_algorithm("allreduce.rabenseifner", 5)),
                              options, ruler)));
}

// Homework: at step i (from 1), worker n sends chunk (n + i - 2) mod N to its left neighbour.
TEST_CASE("the homework's ring: direction and chunk of every arrow", "[diagrams]") {
  const Scene scene = spacetime(TraceAnalysis(left_ring()), {}, system_ruler());
  std::size_t arrows = 0;
  for (const Group& group : scene.groups) {
    int from = 0, chunk = 0, to = 0, step = 0;
    if (std::sscanf(group.story.c_str(), "rank %d sends chunk %d to rank %d (8 B)\nstep %d", &from,
                    &chunk, &to, &step) != 4)
      continue;
    CAPTURE(group.story);
    CHECK(to == (from + 3) % 4);
    CHECK(chunk == (from + step - 2 + 4) % 4);
    ++arrows;
  }
  CHECK(arrows == 24);
}

TEST_CASE("ranks, steps and traces that are not there", "[diagrams]") {
  const TraceAnalysis trace(trace_of_algorithm("allreduce.ring", 4));
  SpacetimeOptions options;
  options.ranks = {0, 4};
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()),
                    Catch::Contains("there is no rank 4: this run has ranks 0 to 3"));
  options.ranks = {1, 1};
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()), Catch::Contains("named twice"));
  options.ranks.clear();
  options.last_round = 7;
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()),
                    Catch::Contains("steps 1:7 are outside of the run, which has steps 1:6"));
  options.first_round = 3;
  options.last_round = 2;
  CHECK_THROWS_WITH(spacetime(trace, options, system_ruler()),
                    Catch::Contains("steps 3:2 end before they begin: this run has steps 1:6"));
  CHECK_THROWS_WITH(spacetime(TraceAnalysis(), {}, system_ruler()), Catch::Contains("empty"));
}

TEST_CASE("pictures of all algorithms", "[.look]") {
  const int ranks = GENERATE(3, 4, 5, 8, 16);
  for (const Algorithm& algorithm : algorithms()) {
    const TraceAnalysis trace(trace_of_algorithm(algorithm.name, ranks));
    SpacetimeOptions options;
    const std::string name = std::string(algorithm.name) + "-" + std::to_string(ranks);
    test::look(spacetime(trace, options, system_ruler()), name, Theme::Kind::light);
    if (ranks != 4) continue;
    options.clock = SpacetimeOptions::Clock::measured;
    options.critical_path = true;
    test::look(spacetime(trace, options, system_ruler()), name + "-measured", Theme::Kind::light);
    options.portrait = true;
    options.clock = SpacetimeOptions::Clock::rounds;
    test::look(spacetime(trace, options, system_ruler()), name + "-portrait", Theme::Kind::dark);
  }
}
