// Runs jobs in virtual time, on the calling thread.
#pragma once

#include <functional>

#include "engine/run/conductor/process_runner.h"

namespace rankscope {

struct SimSummary {
  double finish_s = 0;     ///< When the last rank ended, in virtual time.
  double took_s = 0;       ///< For that, on this machine.
  double processor_s = 0;  ///< Of this, when the thread had a processor.
  std::uint64_t messages = 0, events = 0;
};

/// Of the calling thread, since some moment.
double thread_processor_s() noexcept;

/// Of the options, only interrupt_fd, on_progress and part matter.
class SimRunner : public Runner {
 public:
  explicit SimRunner(RunnerOptions options = {}) : options_(std::move(options)) {}
  JobResult run(const JobSpec& spec, EventSink& sink) override;
  /// What has been simulated so far, some times a second.
  void on_simulated(std::function<void(const SimSummary&)> show) { show_ = std::move(show); }
  /// Of the last run.
  const SimSummary& summary() const noexcept { return summary_; }

 private:
  RunnerOptions options_;
  std::function<void(const SimSummary&)> show_;
  SimSummary summary_;
};

}  // namespace rankscope
