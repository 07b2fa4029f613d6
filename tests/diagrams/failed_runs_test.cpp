// Diagrams of runs that did not end well, and of parts of runs.
#include <algorithm>

#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/spacetime/spacetime_model.h"
#include "engine/diagrams/table/statistics_table.h"
#include "tests/diagrams/many_runs.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"
#include "tests/support/made_up_run.h"

using namespace rankscope;
using test::kRuler;
using test::lost;
using test::MadeUpRun;
using test::says;

namespace {

/// Boxes of this tone that are part of the diagram, not of its legend.
std::vector<Box> boxes(const Scene& scene, Tone tone) {
  std::vector<Box> found;
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == tone &&
        (mark.group >= 0 || tone == Tone::lane))
      found.push_back(mark.box);
  return found;
}

SpacetimeOptions measured() {
  SpacetimeOptions options;
  options.clock = SpacetimeOptions::Clock::measured;
  return options;
}

// Rank 0 sends to rank 1, and once more without anybody receiving it; rank 1 waits for rank 2, which
// waits for rank 1.
MadeUpRun stuck_run() {
  MadeUpRun run(3);
  run.message(0, 1, 1000, 5000);
  run.post(Verb::send, 0, 2, 6000);
  run.end(0, 7000);
  run.post(Verb::recv, 1, 2, 8000);
  run.post(Verb::recv, 2, 1, 9000);
  run.meta.outcome.emplace().status = JobResult::Status::timeout;
  return run;
}

}  // namespace

TEST_CASE("a receive that nothing came for is blocked to the end of the picture", "[diagrams]") {
  const Scene scene = spacetime(TraceAnalysis(stuck_run().trace()), measured(), kRuler);
  const auto blocked = boxes(scene, Tone::blocked);
  const auto lanes = boxes(scene, Tone::lane);
  REQUIRE(lanes.size() == 3);
  REQUIRE(blocked.size() == 2);
  for (const Box& box : blocked) {
    CHECK(box.right() == Approx(lanes[0].right()));
    CHECK(box.width > 20);
  }
  CHECK(blocked[0].center().y == Approx(lanes[1].center().y));
  CHECK(blocked[1].center().y == Approx(lanes[2].center().y));
  CHECK(says(scene, "blocked"));
}

TEST_CASE("ranks that are blocked in sends are hatched to the end, and their messages are no fault",
          "[diagrams]") {
  MadeUpRun run(3);
  run.message(2, 0, 1000, 2000);
  run.post(Verb::send, 0, 1, 3000);
  run.post(Verb::send, 1, 0, 3000);
  run.post(Verb::recv, 2, 0, 4000);
  run.meta.outcome.emplace().status = JobResult::Status::deadlock;
  run.meta.complete = true;
  const TraceAnalysis analysis(run.trace());
  for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured}) {
    SpacetimeOptions options;
    options.clock = clock;
    const Scene scene = spacetime(analysis, options, kRuler);
    const auto hatched = boxes(scene, Tone::error);
    const auto lanes = boxes(scene, Tone::lane);
    REQUIRE(hatched.size() == 2);
    REQUIRE(lanes.size() == 3);
    for (const Box& box : hatched) CHECK(box.right() == Approx(lanes[0].right()));
    CHECK(boxes(scene, Tone::blocked).size() == 1);  // rank 2 only follows
    CHECK(std::ranges::count(scene.marks, "blocked in send", &Mark::text) == 2);
    CHECK(says(scene, "2 messages wait for ever"));
    CHECK_FALSE(says(scene, "never received"));
    for (const Mark& mark : scene.marks)
      if (mark.kind == Mark::Kind::path && mark.stroke) CHECK(mark.stroke->tone != Tone::error);
  }
}

TEST_CASE("a rank that was lost is marked in each picture, and no other one is", "[diagrams]") {
  MadeUpRun run(3);
  run.message(0, 1, 1000, 2000);
  run.post(Verb::recv, 2, 1, 2500);
  run.meta.outcome = lost(1);
  run.meta.complete = true;
  const TraceAnalysis analysis(run.trace());
  for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured}) {
    SpacetimeOptions options;
    options.clock = clock;
    const Scene scene = spacetime(analysis, options, kRuler);
    CHECK(boxes(scene, Tone::error).size() == 1);
    CHECK(std::ranges::count(scene.marks, "✕ lost", &Mark::text) == 1);
  }
  const Scene matrix = traffic_matrix(analysis, {}, kRuler);
  CHECK(says(matrix, "Rank 1 was lost"));
  const Scene graph = communication_graph(analysis, {}, kRuler);
  CHECK(says(graph, "Rank 1 was lost"));
  const auto red = [](const Mark& mark) { return mark.stroke && mark.stroke->tone == Tone::error; };
  CHECK(std::ranges::count_if(graph.marks, red) == 3);  // a circle with a cross of two strokes
}

TEST_CASE("ranks that wait from the start on: the picture is of the whole run", "[diagrams]") {
  MadeUpRun run(2);
  run.work(Verb::copy, 0, 0, 0);
  run.post(Verb::recv, 1, 0, 1'000'000);
  run.post(Verb::recv, 0, 1, 2'000'000);
  const Scene scene = spacetime(TraceAnalysis(run.trace()), measured(), kRuler);
  CHECK(scene.clock_end == Approx(2160));
  CHECK(says(scene, " · 2 ms"));
  CHECK(boxes(scene, Tone::blocked).size() == 2);
}

TEST_CASE("a rank that came to its end is not blocked by a receive that it forgot", "[diagrams]") {
  MadeUpRun run(2);
  run.message(0, 1, 1000, 5000);
  run.post(Verb::recv, 1, 0, 6000);
  run.end(1, 7000);
  run.end(0, 7000);
  CHECK(boxes(spacetime(TraceAnalysis(run.trace()), measured(), kRuler), Tone::blocked).empty());
}

TEST_CASE("caption and legend tell how a run failed", "[diagrams]") {
  MadeUpRun run = stuck_run();
  for (const auto clock : {SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured}) {
    SpacetimeOptions options;
    options.clock = clock;
    options.critical_path = true;
    const Scene scene = spacetime(TraceAnalysis(run.trace()), options, kRuler);
    CHECK(says(scene, "timed out · 1 message never received · "));
    CHECK(says(scene, "critical path"));
    CHECK_FALSE(says(scene, "…"));
    CHECK(std::ranges::count(scene.marks, "never received", &Mark::text) == 1);
  }
  CHECK(run_outcome(run.trace()) == "timed out");
  run.meta.outcome = lost(2);
  CHECK(says(spacetime(TraceAnalysis(run.trace()), {}, kRuler),
             "rank 2 was killed by signal 9 (Killed)"));
  run.meta.outcome.emplace().status = JobResult::Status::ok;
  CHECK(run_outcome(run.trace()).empty());
  for (const char* damaged : {"", "null", "[]", "{", R"({"status":3})"}) {
    run.meta.outcome.reset();
    read_result_text(damaged, run.meta);
    CHECK(run_outcome(run.trace()).empty());
  }
  read_result_text(R"({"status":"failed","failures":[7]})", run.meta);
  CHECK(run_outcome(run.trace()) == "failed");
}

TEST_CASE("a run without failures has no keys for them", "[diagrams]") {
  const Scene scene =
      spacetime(TraceAnalysis(test::trace_of_algorithm("allreduce.ring", 4)), {}, kRuler);
  CHECK_FALSE(says(scene, "never received"));
  CHECK_FALSE(says(scene, "critical path"));
}

TEST_CASE("of some steps, measured time ends with their last message", "[diagrams]") {
  MadeUpRun run(2);
  run.message(0, 1, 1000, 2000);
  run.message(1, 0, 3000, 4000);
  run.work(Verb::compute, 0, 3500, 9000);    // begins while step 2's message travels
  run.work(Verb::compute, 1, 50000, 60000);  // long after it
  run.message(0, 1, 100000, 101000);
  SpacetimeOptions options = measured();
  options.first_round = options.last_round = 2;
  const Scene scene = spacetime(TraceAnalysis(run.trace()), options, kRuler);
  CHECK(boxes(scene, Tone::computing).size() == 1);
  CHECK(scene.clock_end == Approx(1));
}

TEST_CASE("a caption that tells of labels left out is not cut", "[diagrams]") {
  // Everybody to everybody in one step: most labels find no place.
  MadeUpRun run(6);
  for (Rank from = 0; from < 6; ++from)
    for (Rank to = 0; to < 6; ++to)
      if (to != from) run.post(Verb::send, from, to, 1000 + from);
  run.meta.outcome.emplace().status = JobResult::Status::timeout;
  for (const bool portrait : {false, true}) {
    SpacetimeOptions options;
    options.portrait = portrait;
    const Scene scene = spacetime(TraceAnalysis(run.trace()), options, kRuler);
    CHECK(says(scene, "timed out · 30 messages never received"));
    CHECK_FALSE(says(scene, "…"));
  }
}

TEST_CASE("the critical path goes back from the last arrival", "[diagrams]") {
  MadeUpRun run(4);
  run.message(0, 1, 1000, 2000);
  run.message(3, 1, 1500, 2500);  // arrives later: rank 1 waited for this one
  run.message(1, 2, 3000, 4000);
  run.message(0, 3, 3500, 3900);
  const auto all = messages(run.trace());
  std::vector<std::pair<Rank, Rank>> path;
  for (const auto i : critical_path(all)) path.emplace_back(all[i].from, all[i].to);
  CHECK(path == std::vector<std::pair<Rank, Rank>>{{1, 2}, {3, 1}});
  CHECK(critical_path({}).empty());
}

TEST_CASE("a long title does not widen the page, and stays whole in the metadata", "[diagrams]") {
  const TraceAnalysis trace(test::trace_of_algorithm("allreduce.ring", 4));
  SpacetimeOptions options;
  const Scene natural = spacetime(trace, options, kRuler);
  options.title = std::string(500, 'x');
  const Scene scene = spacetime(trace, options, kRuler);
  CHECK(scene.width <= std::max(natural.width, 704.0));
  CHECK(scene.title == options.title);
  CHECK(says(scene, "x…"));
}

TEST_CASE("times beside a portrait axis stay clear of the phases' bands", "[diagrams]") {
  MadeUpRun run(2);
  run.message(0, 1, 1000, 9'000'000);
  run.message(1, 0, 10'000'000, 19'600'000);
  SpacetimeOptions options = measured();
  options.portrait = true;
  options.height = 2400;  // a tick at each half of a millisecond
  const Scene scene = spacetime(TraceAnalysis(run.trace()), options, kRuler);
  REQUIRE(says(scene, "12.5 ms"));
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::text && mark.text.ends_with(" ms") && mark.text.size() < 9)
      CHECK(mark.box.x >= 32);
}

TEST_CASE("what a failed run sent is no bound that was reached", "[diagrams]") {
  const TraceAnalysis trace(stuck_run().trace());
  CHECK(verdicts(trace).lines.empty());
  CHECK(says(statistics_table(trace, {}, kRuler), "timed out"));
  CHECK(says(communication_graph(trace, {}, kRuler), "timed out"));
  const Scene matrix = traffic_matrix(trace, {}, kRuler);
  CHECK(says(matrix, "timed out"));
  CHECK(says(matrix, "sent to"));
  CHECK_FALSE(says(matrix, "received "));
  // The same of a run that ended well has them.
  const TraceAnalysis ring(test::trace_of_algorithm("allreduce.ring", 4));
  CHECK_FALSE(verdicts(ring).lines.empty());
  CHECK(says(traffic_matrix(ring, {}, kRuler), "received"));
  CHECK_FALSE(says(statistics_table(ring, {}, kRuler), "timed out"));
}
