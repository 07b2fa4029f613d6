// Simulates an algorithm as a schedule: each rank's verbs are recorded once, then executed without fibers.
#pragma once

#include <functional>

#include "engine/run/sim/sim_runner.h"

namespace rankscope {

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
