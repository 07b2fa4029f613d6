// Carries out a recorded schedule in virtual time without fibers, for large worlds.
#pragma once

#include "engine/core/message/verb_schedule.h"
#include "transports/sim/sim_options.h"

namespace rankscope {

struct ScheduleResult {
  double finish_s = 0;  ///< The virtual time at which the last rank ended.
  std::uint64_t messages = 0, events = 0;
  bool stopped = false;
};

/// Carries the steps out as a SimWorld would, to the same finish time. Throws UserError for a network with shared links,
/// jitter, failures, messages above the eager limit or shorter than their receives, and if ranks wait for each other.
ScheduleResult carry_out(const VerbSchedule& schedule, const SimOptions& options,
                         const VerbSchedule::Heartbeat& heartbeat = {});

}  // namespace rankscope
