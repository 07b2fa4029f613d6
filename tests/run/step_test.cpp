// The step gate: one message, one step, one round, breakpoints, pause; and what the ranks do then.
#include <thread>

#include <unistd.h>

#include "tests/run/stepped_run.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr auto kHeld = RankView::State::held;

}  // namespace

TEST_CASE("a ring is released in 2(N-1) rounds", "[run][step]") {
  const int n = GENERATE(2, 4, 5);
  JobSpec spec = stepped_job("allreduce.ring", n);
  if (GENERATE(false, true)) spec.transport.mode = SendMode::rendezvous;
  SteppedRun run(spec);
  CHECK(run.count(kHeld) == n);
  CHECK(rounds_to_the_end(run) == 2 * (n - 1));
  CHECK(run.finish().ok());
  CHECK(run.events.sends() == n * 2 * (n - 1));
}

TEST_CASE("rounds of other algorithms are those of the model", "[run][step]") {
  const auto [algorithm, n, rounds] = GENERATE(table<std::string, int, int>({
      {"broadcast.flat", 4, 3},
      {"broadcast.binomial", 8, 3},
      {"reduce.flat", 4, 3},
      {"reduce.binomial", 8, 3},
      {"allreduce.bde", 4, 2},
      {"allgather.ring", 4, 3},
  }));
  SteppedRun run(stepped_job(algorithm, n));
  INFO(algorithm);
  CHECK(rounds_to_the_end(run) == rounds);
  CHECK(run.finish().ok());
}

TEST_CASE("single messages and single steps lead to the end as well", "[run][step]") {
  const auto algorithm = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde",
                                  "allreduce.tree", "broadcast.flat", "reduce.flat");
  INFO(algorithm);
  JobSpec spec = stepped_job(algorithm, 4);
  if (GENERATE(false, true)) spec.transport.mode = SendMode::rendezvous;
  SteppedRun run(spec);
  SECTION("message by message") { messages_to_the_end(run); }
  SECTION("rank by rank") {
    for (int i = 0; i < 500 && !run.step.finished(); ++i) {
      const auto answer = run.step.step(i % 4);
      if (answer == "all ranks are done" || answer == "the run is over") break;
    }
  }
  CHECK(run.finish().ok());
}

TEST_CASE("warm-ups and iterations are stepped through to the end", "[run][step]") {
  const int n = 3;
  JobSpec spec = stepped_job("allreduce.ring", n);
  spec.recording.warmup = 1;
  spec.recording.iterations = 2;
  SteppedRun run(spec);
  SECTION("round by round") {
    // Each iteration in its rounds and after a barrier at one root; the last two fill their buffers after another one, whose
    // last message goes together with the first one of the barrier that follows.
    const int barrier = 2 * (n - 1);
    CHECK(rounds_to_the_end(run) == 3 * (2 * (n - 1) + barrier) + 2 * (barrier - 1));
  }
  SECTION("message by message") { messages_to_the_end(run); }
  const JobResult& result = run.finish();
  CHECK(result.ok());
  CHECK(result.lost_events == 0);
  for (const RankOutcome& outcome : result.ranks) {
    CHECK(outcome.checked);
    CHECK(outcome.times_s.size() == 2);
  }
  CHECK(run.events.sends() == n * 2 * (n - 1));  // only the last iteration is traced
}

TEST_CASE("one message is released, and its receiver runs up to the match", "[run][step]") {
  SteppedRun run(stepped_job("broadcast.flat", 4));
  CHECK(run.events.sends() == 0);
  CHECK_THAT(run.step.release_message(), Contains("0 -> 1 released and received"));
  CHECK(eventually([&] { return run.events.sends() == 1; }));
  CHECK(eventually([&] { return run.events.count(EventKind::completed, 1) == 1; }));
  CHECK(run.events.count(EventKind::completed, 2) == 0);
  SECTION("an absent receiver is named") {
    SteppedRun ring(stepped_job("allreduce.ring", 3));
    CHECK_THAT(ring.step.release_message(1), Contains("its receiver is absent: rank 2"));
    // The message is on its way; rank 2 has to send before it receives.
    CHECK_THAT(ring.step.release_message(2), Contains("2 -> 0 released"));
    CHECK_THAT(ring.step.release_message(2), Contains("rank 2 received it"));
  }
  SECTION("a rank that does not exist") {
    CHECK_THAT(run.step.step(7), Contains("there is no rank 7"));
  }
}

TEST_CASE("while a run is held nobody completes anything, sleeps, and time stands still",
          "[run][step]") {
  JobSpec spec = stepped_job("broadcast.flat", 3);
  spec.recording.timeout_s = 0.6;
  SteppedRun run(spec);
  run.step.step(1);  // posts its receive, and waits
  run.step.step(2);
  const auto workers = children();
  REQUIRE(workers.size() == 3);
  CHECK(run.count(RankView::State::blocked) == 2);
  std::map<int, long> before;
  for (const int pid : workers) before[pid] = look_at(pid).ticks;
  std::this_thread::sleep_for(1s);
  for (const int pid : workers) {
    CHECK(look_at(pid).state == 'S');
    CHECK(look_at(pid).ticks - before[pid] <=
          3);  // of 100 a second: the control thread's heartbeat
  }
  CHECK(run.events.count(EventKind::posted) == 2);
  CHECK(run.events.count(EventKind::completed) == 0);
  CHECK_FALSE(run.step.finished());  // although it was held for longer than the time-out
  CHECK(run.step.resume() != "");
  CHECK(run.finish().ok());
}

TEST_CASE("breakpoints stop a run at a line, a phase or a rank", "[run][step]") {
  StepController step;
  SteppedRun run(stepped_job("allreduce.ring", 4));
  SECTION("phase") {
    run.step.add_breakpoint({"", 0, "allgather", -1});
    CHECK_THAT(run.step.resume(), Contains("breakpoint"));
    const auto views = run.step.ranks();
    CHECK(std::ranges::any_of(views, &RankView::hit));
    for (const auto& view : views)
      if (view.hit) CHECK(view.phase == "allgather");
  }
  SECTION("line of a rank") {
    const auto here = run.step.ranks()[2];
    run.step.add_breakpoint({"allreduce_ring.cpp", here.line, "", 2});
    CHECK_THAT(run.step.resume(), Contains("breakpoint"));
    const auto there = run.step.ranks()[2];
    CHECK(there.hit);
    CHECK(there.line == here.line);
    CHECK(there.op != here.op);
  }
  run.step.clear_breakpoints();
  CHECK_THAT(run.step.resume(), Contains("done") || Contains("over"));
  CHECK(run.finish().ok());
}

TEST_CASE("pausing and resuming in the middle loses nobody", "[run][step]") {
  JobSpec spec = stepped_job("allreduce.ring", 4);
  spec.recording.iterations = 30;
  spec.world.delays_us.assign(4, 1'000);
  SteppedRun run(spec);
  for (int i = 0; i < 15 && !run.step.finished(); ++i) {
    std::thread runs([&] { run.step.resume(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(i * 3));
    const auto answer = run.step.pause();
    UNSCOPED_INFO(answer);
    runs.join();
    if (run.step.finished()) break;
    REQUIRE((answer == "paused" || answer == "the run is over"));
    CHECK(run.count(RankView::State::running) == 0);
    run.step.round();
  }
  CHECK_THAT(run.step.resume(), Contains("done") || Contains("over"));
  CHECK(run.finish().ok());
}

TEST_CASE("quitting at the step prompt ends the run in order", "[run][step]") {
  const Leftovers before;
  {
    SteppedRun run(stepped_job("allreduce.ring", 4));
    run.step.round();
    run.step.quit();
    const JobResult& result = run.finish();
    CHECK(result.status == JobResult::Status::interrupted);
    CHECK(result.lost_events == 0);
    CHECK(run.step.round() == "the run is over");
  }
  CHECK(before.found() == "");
}

TEST_CASE("a worker killed while it is held is named with its place", "[run][step][faults]") {
  SteppedRun run(stepped_job("allreduce.ring", 4));
  REQUIRE(children().size() == 4);
  ::kill(*children().begin(), SIGKILL);
  const JobResult& result = run.finish();
  CHECK(result.status == JobResult::Status::failed);
  REQUIRE(!result.failures.empty());
  CHECK_THAT(result.failures.front().where,
             Contains("held before send") && Contains("allreduce_ring.cpp:"));
}
