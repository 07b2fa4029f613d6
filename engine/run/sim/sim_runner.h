// Runs jobs in virtual time, on the calling thread.
#pragma once

#include "engine/run/conductor/process_runner.h"

namespace rankscope {

struct SimSummary {
  double finish_s = 0;  ///< When the last rank ended, in virtual time.
  double took_s = 0;    ///< For that, on this machine.
  double processor_s =
      0;  ///< Of this, what the thread had a processor for: other programs do not count.
  std::uint64_t messages = 0, events = 0;
};

/// Of the calling thread, since some moment.
double thread_processor_s() noexcept;

/// Of the options, only interrupt_fd, on_progress and part matter.
class SimRunner : public Runner {
 public:
  explicit SimRunner(RunnerOptions options = {}) : options_(std::move(options)) {}
  JobResult run(const JobSpec& spec, EventSink& sink) override;
  /// Of the last run.
  const SimSummary& summary() const noexcept { return summary_; }

 private:
  RunnerOptions options_;
  SimSummary summary_;
};

}  // namespace rankscope
