// A run in another thread, held at its gates, and what is heard of it meanwhile.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/step/live_delays.h"
#include "engine/run/step/step_controller.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"

namespace rankscope::test {

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
    options.delays = &delays;
    runner_ = std::make_unique<ProcessRunner>(options);
    thread_ = std::thread([this] { result = runner_->run(spec_, events); });
    REQUIRE(step.wait_still(Deadline::in(kWaitLimit)));
  }
  ~SteppedRun() {
    step.quit();
    if (thread_.joinable()) thread_.join();
  }
  const JobResult& finish() {
    REQUIRE(eventually([&] { return step.finished(); }));
    thread_.join();
    return result;
  }
  int count(RankView::State state) const {
    const auto views = step.ranks();
    return static_cast<int>(std::ranges::count(views, state, &RankView::state));
  }

  StepController step;
  LiveDelays delays;
  LiveEvents events;
  JobResult result;

 private:
  JobSpec spec_;
  std::unique_ptr<ProcessRunner> runner_;
  std::thread thread_;
};

JobSpec stepped_job(const std::string& algorithm, int world_size);
/// Round by round; how many there were.
int rounds_to_the_end(SteppedRun& run);
/// Message by message. Fails when there is none although the run goes on.
void messages_to_the_end(SteppedRun& run);

}  // namespace rankscope::test
