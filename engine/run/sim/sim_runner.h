// Runs jobs in virtual time, on the calling thread.
#pragma once

#include <functional>

#include "engine/run/conductor/process_runner.h"

namespace rankscope {

struct SimSummary {
  double finish_s = 0;     ///< The virtual time at which the last rank ended.
  double took_s = 0;       ///< The time that the simulation took on this machine.
  double processor_s = 0;  ///< The part of took_s in which the thread had a processor.
  std::uint64_t messages = 0, events = 0;
};

double thread_processor_s() noexcept;

/// Runs jobs in virtual time. Uses only the options interrupt_fd, on_progress, part and process_ends.
class SimRunner : public Runner {
 public:
  explicit SimRunner(RunnerOptions options = {}) : options_(std::move(options)) {}
  JobResult run(const JobSpec& spec, EventSink& sink) override;
  /// Sets a function that is called up to 20 times a second with the amount simulated so far.
  void on_simulated(std::function<void(const SimSummary&)> show) { show_ = std::move(show); }
  const SimSummary& summary() const noexcept { return summary_; }

 private:
  RunnerOptions options_;
  std::function<void(const SimSummary&)> show_;
  SimSummary summary_;
};

struct ScheduleWatch {
  int interrupt_fd = -1;
  /// Called a few times a second with "recording, rank" or "messages", and the number so far.
  std::function<void(std::string_view what, std::uint64_t done)> on_progress = {};
};

struct ScheduledRun {
  SimSummary summary;
  double recording_s = 0;        ///< On this machine.
  std::uint64_t step_bytes = 0;  ///< Memory of the schedule's steps.
  bool interrupted = false, timed_out = false;
};

/// Throws UserError for an algorithm that is not a schedule (engine/core/message/verb_schedule.h).
ScheduledRun simulate_schedule(const JobSpec& spec, const ScheduleWatch& watch = {});

}  // namespace rankscope
