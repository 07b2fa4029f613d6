// Stepping ranks that do several things at once: each strand stands at the gate by itself.
#include <set>
#include <thread>

#include "tests/run/stepped_run.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

using ViewState = RankView::State;
constexpr int kRanks = 4;

JobSpec bucketed(int buckets) {
  JobSpec spec = stepped_job("allreduce.bucketed", kRanks);
  spec.call.segment_bytes = 64;
  spec.call.shape = {buckets *
                     static_cast<Count>(spec.call.segment_bytes / dtype_size(spec.call.dtype))};
  return spec;
}

int sends_of(int buckets) { return buckets * kRanks * 2 * (kRanks - 1); }

void check_end(SteppedRun& run, int buckets) {
  const JobResult& result = run.finish();
  INFO(result.message);
  CHECK(result.ok());
  CHECK(result.lost_events == 0);
  REQUIRE(result.ranks.size() == kRanks);
  for (const RankOutcome& outcome : result.ranks) {
    CHECK(outcome.checked);
    CHECK(outcome.ok);
  }
  CHECK(run.events.sends() == sends_of(buckets));
}

std::vector<RankView> of_rank(const SteppedRun& run, Rank rank) {
  auto views = run.step.ranks();
  std::erase_if(views, [&](const RankView& view) { return view.rank != rank; });
  return views;
}

}  // namespace

TEST_CASE("every strand of a rank is seen where it stands", "[run][step][strands]") {
  SteppedRun run(bucketed(3));
  CHECK(run.step.world_size() == kRanks);
  REQUIRE(run.step.ranks().size() == 4 * kRanks);
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const auto views = of_rank(run, rank);
    REQUIRE(views.size() == 4);
    CHECK(views[0].strand == 0);
    CHECK(views[0].state == ViewState::blocked);
    CHECK(views[0].verb == Verb::wait);
    CHECK(views[0].awaits == 1);
    CHECK_THAT(describe(views[0]), Contains("in wait for strand " + std::to_string(rank) + ".1") &&
                                       Contains("allreduce_bucketed.cpp:"));
    for (std::uint16_t strand = 1; strand <= 3; ++strand) {
      const RankView& view = views[strand];
      CHECK(view.strand == strand);
      CHECK(view.state == ViewState::held);
      CHECK(view.round == 1);
      CHECK_THAT(describe(view), StartsWith("rank " + to_string(StrandId{rank, strand})) &&
                                     Contains("before send"));
    }
  }
  CHECK_THAT(run.step.step(2, 3), StartsWith("rank 2.3"));  // its send
  CHECK_THAT(run.step.step(2, 3), StartsWith("rank 2.3") && Contains("in recv"));
  const auto views = of_rank(run, 2);
  CHECK(views[1].state == ViewState::held);
  CHECK(views[2].state == ViewState::held);
  CHECK(views[3].state == ViewState::blocked);
  CHECK_THAT(run.step.step(2, 9), Contains("no such strand"));
  CHECK_THAT(run.step.release_message(1, 2), StartsWith("message 1.2 -> 2.2 released"));
  CHECK_THAT(run.step.release_message(1, 3),
             StartsWith("message 1.3 -> 2.3 released and received"));
  run.step.resume();
  check_end(run, 3);
}

TEST_CASE("strands are stepped to the end by round", "[run][step][strands]") {
  JobSpec spec = bucketed(4);
  if (GENERATE(false, true)) spec.transport.mode = SendMode::rendezvous;
  SteppedRun run(spec);
  const auto answer = run.step.round();
  CHECK_THAT(answer, StartsWith("round 1: 16 message(s)"));
  CHECK(rounds_to_the_end(run) + 1 == 2 * (kRanks - 1));
  check_end(run, 4);
}

TEST_CASE("strands that begin when others end are stepped to the end", "[run][step][strands]") {
  SteppedRun run(bucketed(10));  // eight at once
  CHECK(of_rank(run, 0).size() == 9);
  std::set<std::uint16_t> seen;
  for (int i = 0; i < 100 && !run.step.finished(); ++i) {
    for (const RankView& view : run.step.ranks()) seen.insert(view.strand);
    const auto answer = run.step.round();
    UNSCOPED_INFO(answer);
    if (!answer.starts_with("round")) break;
  }
  CHECK(seen.size() == 11);
  check_end(run, 10);
}

TEST_CASE("strands are stepped to the end by message", "[run][step][strands]") {
  JobSpec spec = bucketed(2);
  if (GENERATE(false, true)) spec.transport.mode = SendMode::rendezvous;
  SteppedRun run(spec);
  messages_to_the_end(run);
  check_end(run, 2);
}

TEST_CASE("strands are stepped to the end rank by rank", "[run][step][strands]") {
  SteppedRun run(bucketed(2));
  for (int i = 0; i < 2000 && !run.step.finished(); ++i) {
    const auto answer = run.step.step(i % kRanks);
    UNSCOPED_INFO(answer);
    REQUIRE_THAT(answer, !StartsWith("not standing still"));
    if (answer == "all ranks are done" || answer == "the run is over") break;
  }
  check_end(run, 2);
}

TEST_CASE("a breakpoint stops strands, and the run goes on from there", "[run][step][strands]") {
  SteppedRun run(bucketed(4));
  run.step.round();
  // Each strand of the rank has more verbs before it than this stops at.
  run.step.add_breakpoint({"", 0, "bucket", 2});
  for (int stop = 0; stop < 3; ++stop) {
    CHECK_THAT(run.step.resume(), Contains("breakpoint"));
    const auto views = run.step.ranks();
    CHECK(std::ranges::count(views, ViewState::running, &RankView::state) == 0);
    CHECK(std::ranges::any_of(views, &RankView::hit));
    for (const RankView& view : views) {
      if (!view.hit) continue;
      CHECK(view.rank == 2);
      CHECK(view.strand > 0);
      CHECK(view.phase == "bucket");
    }
  }
  run.step.clear_breakpoints();
  CHECK_THAT(run.step.resume(), Contains("done") || Contains("over"));
  check_end(run, 4);
}

TEST_CASE("breakpoints that change all the time are hit all the same", "[run][step][strands]") {
  JobSpec spec = bucketed(4);
  spec.world.delays_us.assign(kRanks, 5'000);
  StepController step;
  step.start_closed(false);
  RunnerOptions options = real_workers();
  options.step = &step;
  ProcessRunner runner(options);
  LiveEvents events;
  JobResult result;
  std::thread thread([&] { result = runner.run(spec, events); });
  step.add_breakpoint({"", 0, "bucket", -1});
  for (int i = 0; i < 20; ++i) step.add_breakpoint({"", 0, "no such phase", -1});
  CHECK(step.wait_still(Deadline::in(test::kWaitLimit)));
  CHECK_FALSE(step.finished());
  CHECK(std::ranges::any_of(step.ranks(), &RankView::hit));
  step.clear_breakpoints();
  step.resume();
  thread.join();
  CHECK(result.ok());
}
