// A run that is held and grows: everything has its place from the first event on, and what is on offer is a ghost.
#include <algorithm>
#include <map>

#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/stage/stage.h"
#include "tests/diagrams/growing_run.h"
#include "tests/diagrams/scenes.h"

using namespace rankscope;
using test::check_readable;
using test::GrowingRun;
using test::held;
using test::says;

namespace {

std::map<std::string, Box> boxes_of(const Scene& scene, std::string_view prefix) {
  std::map<std::string, Box> found;
  for (const Mark& mark : scene.marks)
    if (mark.group >= 0 && mark.kind == Mark::Kind::box)
      if (const auto& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
          id.starts_with(prefix))
        found.try_emplace(id, mark.box);
  return found;
}

bool has_group(const Scene& scene, const std::string& id) {
  return std::ranges::find(scene.groups, id, &Group::id) != scene.groups.end();
}

bool has_red(const Scene& scene) {
  return std::ranges::any_of(scene.marks, [](const Mark& mark) {
    return (mark.fill && mark.fill->tone == Tone::error) ||
           (mark.stroke && mark.stroke->tone == Tone::error);
  });
}

}  // namespace

TEST_CASE("live: stage and time have their places from the first event on", "[diagrams]") {
  const auto run = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde",
                            "broadcast.binomial", "alltoall.pairwise", "allreduce.hierarchical");
  const int ranks = GENERATE(4, 8, 16);
  CAPTURE(run, ranks);
  const GrowingRun growing(run, ranks);
  StageOptions stage_options;
  stage_options.width = 1280;
  stage_options.height = 720;
  stage_options.heading = false;
  SpacetimeOptions time_options = spacetime_pane(1280, 560, SpacetimeOptions::Clock::rounds);
  std::map<std::string, Box> cards, phases;
  ClockAxis axis;
  const int rounds = growing.plan.rounds().count;
  for (int k = 0; k <= rounds; ++k) {
    CAPTURE(k);
    const TraceAnalysis now = growing.after(k);
    const auto plan = match_plan(growing.plan, now);
    REQUIRE(plan);
    stage_options.plan = time_options.plan = plan;
    stage_options.live = time_options.live = k < rounds;
    time_options.marks = k < rounds ? held(*plan) : LiveMarks();
    Stage stage(now, stage_options, system_ruler());
    const Scene at = stage.at(stage.end(), {}, time_options.marks);
    const Scene time = spacetime(now, time_options, system_ruler());
    check_readable(at);
    check_readable(time);
    CHECK_FALSE(has_red(at));
    CHECK_FALSE(has_red(time));
    for (const LiveOffer& offer : time_options.marks.offers) {
      CHECK(has_group(at, offer.id()));
      CHECK(has_group(time, offer.id()));
    }
    if (k > 0) {
      // Partners come near each other as the run goes on.
      if (stage.form() != StageForm::partners) CHECK(boxes_of(at, "rank-") == cards);
      CHECK(boxes_of(time, "phase-") == phases);
      REQUIRE(time.clock_axis->knots.size() == axis.knots.size());
      for (std::size_t i = 0; i < axis.knots.size(); ++i)
        CHECK(time.clock_axis->knots[i].at == axis.knots[i].at);
    }
    cards = boxes_of(at, "rank-");
    phases = boxes_of(time, "phase-");
    axis = *time.clock_axis;
    CHECK(static_cast<int>(cards.size()) == ranks);
    CHECK(time.clock_end == rounds);
  }
}

TEST_CASE("live: an arrow stays where its ghost was", "[diagrams]") {
  const GrowingRun growing("allreduce.ring", 4);
  SpacetimeOptions options = spacetime_pane(1280, 560, SpacetimeOptions::Clock::rounds);
  options.live = true;
  const auto ends_of = [](const Scene& scene, const std::string& id) {
    for (const Mark& mark : scene.marks)
      if (mark.kind == Mark::Kind::path && mark.group >= 0 &&
          scene.groups[static_cast<std::size_t>(mark.group)].id == id)
        return std::pair(mark.points.front(), mark.points.back());
    FAIL("no arrow " << id);
    return std::pair(Point(), Point());
  };
  const TraceAnalysis start = growing.after(0), later = growing.after(2);
  options.plan = match_plan(growing.plan, start);
  options.marks = held(*options.plan);
  const std::size_t planned = options.marks.offers[0].planned;
  const auto ghost = ends_of(spacetime(start, options, system_ruler()), "offer-0-0");
  options.plan = match_plan(growing.plan, later);
  options.marks = {};
  const std::size_t made = options.plan->made_of[planned];
  REQUIRE(made != PlanMatch::kNone);
  CHECK(ends_of(spacetime(later, options, system_ruler()), fmt::format("m{}", made)) == ghost);
}

TEST_CASE("live: a rank says where it stands, also without a plan", "[diagrams]") {
  const GrowingRun growing("allreduce.ring", 4);
  const TraceAnalysis now = growing.after(1);
  LiveMarks marks;
  marks.badges = {{LiveBadge::Kind::held, "held", "rank 0"},
                  {LiveBadge::Kind::waits, "waits for 2", "rank 1"},
                  {LiveBadge::Kind::computing, "computing", "rank 2"},
                  {LiveBadge::Kind::dead, "dead", "rank 3"}};
  marks.offers = {{0, 1, 0, 16, PlanMatch::kNone, "offered"}};
  StageOptions options;
  options.width = 1280;
  options.height = 720;
  options.live = true;
  Stage stage(now, options, system_ruler());
  const Scene scene = stage.at(stage.end(), {}, marks);
  for (const LiveBadge& badge : marks.badges) CHECK(says(scene, badge.text));
  CHECK(has_group(scene, "offer-0-0"));
  SpacetimeOptions time = spacetime_pane(1280, 560, SpacetimeOptions::Clock::measured);
  time.live = true;
  time.marks = marks;
  const Scene lanes = spacetime(now, time, system_ruler());
  for (const LiveBadge& badge : marks.badges) CHECK(says(lanes, badge.text));
}

TEST_CASE("live: another run is no plan", "[diagrams]") {
  const GrowingRun ring("allreduce.ring", 4), doubling("allreduce.bde", 4),
      wide("allreduce.ring", 8);
  CHECK(match_plan(ring.plan, ring.plan));
  CHECK_FALSE(match_plan(doubling.plan, ring.plan));
  CHECK_FALSE(match_plan(wide.plan, ring.plan));
}
