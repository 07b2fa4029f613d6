// The step gate: one message, one step, one round, breakpoints, pause; and what the ranks do then.
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/run/step_controller.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Events of a run that is still going on.
class LiveEvents : public EventSink {
 public:
  void deliver(EventBatch&& batch) override {
    const std::lock_guard lock(mutex_);
    for (const auto& event : batch.events) events_.push_back(event);
  }
  int count(EventKind kind, Rank rank = -1) const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count_if(events_, [&](const StepEvent& event) {
      return event.kind == kind && (rank < 0 || event.rank == rank) &&
             is_send(event.verb) == false && is_recv(event.verb);
    }));
  }
  int sends() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::ranges::count_if(events_, [](const StepEvent& event) {
      return event.kind == EventKind::posted && is_send(event.verb);
    }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<StepEvent> events_;
};

/// A run in another thread, held at its gates.
class SteppedRun {
 public:
  explicit SteppedRun(JobSpec spec) : spec_(std::move(spec)) {
    RunnerOptions options = real_workers();
    options.step = &step;
    runner_ = std::make_unique<ProcessRunner>(options);
    thread_ = std::thread([this] { result = runner_->run(spec_, events); });
    REQUIRE(step.wait_still(Deadline::in(20s)));
  }
  ~SteppedRun() {
    step.quit();
    if (thread_.joinable()) thread_.join();
  }
  const JobResult& finish() {
    REQUIRE(eventually(20s, [&] { return step.finished(); }));
    thread_.join();
    return result;
  }
  int count(RankView::State state) const {
    const auto views = step.ranks();
    return static_cast<int>(std::ranges::count(views, state, &RankView::state));
  }

  StepController step;
  LiveEvents events;
  JobResult result;

 private:
  JobSpec spec_;
  std::unique_ptr<ProcessRunner> runner_;
  std::thread thread_;
};

JobSpec job(const std::string& algorithm, int world_size) {
  JobSpec spec;
  spec.algorithm = algorithm;
  spec.world_size = world_size;
  spec.timeout_s = 20;
  return spec;
}

int rounds_to_the_end(SteppedRun& run) {
  int rounds = 0;
  for (int i = 0; i < 200 && !run.step.finished(); ++i) {
    const auto answer = run.step.round();
    UNSCOPED_INFO(answer);
    if (!answer.starts_with("round")) break;
    ++rounds;
  }
  return rounds;
}

constexpr auto kHeld = RankView::State::held;

}  // namespace

TEST_CASE("a ring is released in 2(N-1) rounds", "[run][step]") {
  const int n = GENERATE(2, 4, 5);
  JobSpec spec = job("allreduce.ring", n);
  if (GENERATE(false, true)) spec.mode = SendMode::rendezvous;
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
  SteppedRun run(job(algorithm, n));
  INFO(algorithm);
  CHECK(rounds_to_the_end(run) == rounds);
  CHECK(run.finish().ok());
}

TEST_CASE("single messages and single steps lead to the end as well", "[run][step]") {
  const auto algorithm = GENERATE(as<std::string>(), "allreduce.ring", "allreduce.bde",
                                  "allreduce.tree", "broadcast.flat", "reduce.flat");
  INFO(algorithm);
  JobSpec spec = job(algorithm, 4);
  if (GENERATE(false, true)) spec.mode = SendMode::rendezvous;
  SteppedRun run(spec);
  SECTION("message by message") {
    for (int i = 0; i < 500; ++i) {
      const auto answer = run.step.release_message();
      UNSCOPED_INFO(answer);
      if (run.step.finished() || answer == "all ranks are done") break;
      REQUIRE_THAT(answer, !StartsWith("no message"));
    }
  }
  SECTION("rank by rank") {
    for (int i = 0; i < 500 && !run.step.finished(); ++i) {
      const auto answer = run.step.step(i % 4);
      if (answer == "all ranks are done" || answer == "the run is over") break;
    }
  }
  CHECK(run.finish().ok());
}

TEST_CASE("one message is released, and its receiver runs up to the match", "[run][step]") {
  SteppedRun run(job("broadcast.flat", 4));
  CHECK(run.events.sends() == 0);
  CHECK_THAT(run.step.release_message(), Contains("0 -> 1 released and received"));
  CHECK(eventually(2s, [&] { return run.events.sends() == 1; }));
  CHECK(eventually(2s, [&] { return run.events.count(EventKind::completed, 1) == 1; }));
  CHECK(run.events.count(EventKind::completed, 2) == 0);
  SECTION("an absent receiver is named") {
    SteppedRun ring(job("allreduce.ring", 3));
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
  JobSpec spec = job("broadcast.flat", 3);
  spec.timeout_s = 0.6;
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
  SteppedRun run(job("allreduce.ring", 4));
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
  JobSpec spec = job("allreduce.ring", 4);
  spec.iterations = 30;
  spec.delays_us.assign(4, 1'000);
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
    SteppedRun run(job("allreduce.ring", 4));
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
  SteppedRun run(job("allreduce.ring", 4));
  REQUIRE(children().size() == 4);
  ::kill(*children().begin(), SIGKILL);
  const JobResult& result = run.finish();
  CHECK(result.status == JobResult::Status::failed);
  REQUIRE(!result.failures.empty());
  CHECK_THAT(result.failures.front().where,
             Contains("held before send") && Contains("allreduce_ring.cpp:"));
}
