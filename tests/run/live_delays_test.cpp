// Delays that change while their job runs.
#include "engine/run/step/live_delays.h"

#include <thread>

#include "tests/run/real_run.h"
#include "tests/run/stepped_run.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;

TEST_CASE("delays are changed while the job runs", "[run][step]") {
  const std::string transport = GENERATE("ipc", "inproc");
  // With these, the job would take two minutes.
  JobSpec spec = slow_job(4, 10e6);
  spec.transport.name = transport;
  spec.recording.timeout_s = 60;
  LiveDelays delays;
  RunnerOptions options = real_workers();
  options.delays = &delays;
  std::atomic<bool> begun = false;
  options.on_progress = [&](const RunProgress&) { begun = true; };
  std::thread user([&] {
    eventually([&] { return begun.load(); });
    delays.set({0, 0, 5e3});
  });
  CollectingSink sink;
  JobResult result;
  if (transport == "inproc") result = InprocRunner(options).run(spec, sink);
  else result = ProcessRunner(options).run(spec, sink);
  user.join();
  INFO(result.message);
  CHECK(result.ok());
  bool others = false;
  std::int64_t longest = 0;  // of rank 2, after its first
  for (const EventBatch& batch : sink.take())
    for (const StepEvent& event : batch.events)
      if (event.verb == Verb::delay) {
        others |= event.rank != 2;
        if (event.rank == 2) longest = std::max(longest, event.time_ns - event.begin_ns);
      }
  CHECK(others);  // until the change
  CHECK(longest >= 5'000'000);
}

TEST_CASE("a held run keeps its gates when delays change", "[run][step]") {
  SteppedRun run(stepped_job("allreduce.ring", 3));
  CHECK(run.count(RankView::State::held) == 3);
  run.delays.set({2e3, 0, 1e3});
  run.step.release_message();
  CHECK(run.step.wait_still(Deadline::in(kWaitLimit)));
  CHECK(run.count(RankView::State::held) + run.count(RankView::State::blocked) == 3);
  messages_to_the_end(run);
  CHECK(run.finish().ok());
}

TEST_CASE("ranks that wait for one that is held are no deadlock", "[run][step]") {
  SteppedRun run(stepped_job("broadcast.flat", 3));
  run.step.step(1);
  run.step.step(2);
  REQUIRE(run.count(RankView::State::blocked) == 2);
  REQUIRE(run.count(RankView::State::held) == 1);
  // Several times as long as it takes to detect a deadlock.
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK_FALSE(run.step.finished());
  messages_to_the_end(run);
  CHECK(run.finish().ok());
}
