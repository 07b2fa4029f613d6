// Runs jobs in virtual time, on the calling thread.
#pragma once

#include <functional>

#include "engine/run/conductor/process_runner.h"

namespace rankscope {

struct SimSummary {
  double finish_s = 0;     ///< When the last rank ended, in virtual time.
  double took_s = 0;       ///< For that, on this machine.
  double processor_s = 0;  ///< The part in which the thread had a processor.
  std::uint64_t messages = 0, events = 0;
};

/// The calling thread's times since some moment.
double thread_processor_s() noexcept;

/// Runs jobs in virtual time. Only the options interrupt_fd, on_progress and part matter.
class SimRunner : public Runner {
 public:
  explicit SimRunner(RunnerOptions options = {}) : options_(std::move(options)) {}
  JobResult run(const JobSpec& spec, EventSink& sink) override;
  /// Called some times a second with what has been simulated so far.
  void on_simulated(std::function<void(const SimSummary&)> show) { show_ = std::move(show); }
  /// The last run's.
  const SimSummary& summary() const noexcept { return summary_; }

 private:
  RunnerOptions options_;
  std::function<void(const SimSummary&)> show_;
  SimSummary summary_;
};

}  // namespace rankscope
