// A run that is held and grows: everything has its place from the first event on, and what is on offer is a ghost.
#include <algorithm>
#include <map>

#include "engine/analysis/run_plan.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/stage/stage.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using test::check_readable;
using test::says;

namespace {

/// A job whose events come round by round; in the last one only to every second rank.
class GrowingRun {
 public:
  GrowingRun(const std::string& algorithm, int ranks) {
    JobSpec spec;
    spec.algorithm = algorithm;
    spec.world_size = ranks;
    spec.shape = {ranks};
    spec.transport = "inproc";
    CollectingSink sink;
    InprocRunner runner;
    REQUIRE(runner.run(spec, sink).ok());
    meta_.algorithm = algorithm;
    meta_.collective = collective_of(spec);
    meta_.world_size = ranks;
    meta_.job_json = to_json(spec);
    batches_ = sink.take();
    plan = TraceAnalysis(make_trace(batches_, meta_));
  }

  TraceAnalysis after(int rounds) const {
    const RoundCuts& cuts = plan.cuts();
    TraceBuilder builder(meta_);
    std::map<Rank, std::uint64_t> had, most;
    for (Rank rank = 0; rank < meta_.world_size; ++rank) {
      const auto& cut = cuts.cut[static_cast<std::size_t>(rank)];
      const auto at = static_cast<std::size_t>(rounds + (rank % 2));
      const Cursor end = cut[std::min(at, cut.size() - 1)];
      for (Cursor k = 0; k < end; ++k)
        if (plan.trace()[k].rank == rank) ++most[rank];
    }
    for (EventBatch batch : batches_) {
      const auto room = most[batch.rank] - std::min(most[batch.rank], had[batch.rank]);
      had[batch.rank] += batch.events.size();
      if (batch.events.size() > room) batch.events.resize(static_cast<std::size_t>(room));
      builder.deliver(std::move(batch));
    }
    return TraceAnalysis(builder.snapshot());
  }

  TraceAnalysis plan;

 private:
  TraceMeta meta_;
  std::vector<EventBatch> batches_;
};

/// Every rank is held before what it sends next.
LiveMarks held(const RunPlan& plan) {
  LiveMarks marks;
  for (Rank rank = 0; rank < plan.run.trace().world_size(); ++rank) {
    marks.badges.push_back({LiveBadge::Kind::held, "held", fmt::format("rank {}", rank)});
    const std::size_t next = plan.next(rank, 0);
    if (next == RunPlan::kNone) {
      marks.badges.back() = {LiveBadge::Kind::waits, "waits for 1", ""};
      continue;
    }
    const MessageRecord& message = plan.run.messages()[next];
    marks.offers.push_back({rank, message.to, 0, message.bytes, next, "offered"});
  }
  return marks;
}

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
      CHECK(boxes_of(at, "rank-") == cards);
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
  REQUIRE(made != RunPlan::kNone);
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
  marks.offers = {{0, 1, 0, 16, RunPlan::kNone, "offered"}};
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
