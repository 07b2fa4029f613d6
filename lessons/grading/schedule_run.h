// Schedules and runs: the table of steps that a run shows, and where a run of a table goes wrong.
#pragma once

#include <string>
#include <vector>

#include "engine/collectives/schedule.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// A run as a table: rounds become steps. Throws UserError where a message cannot be written in whole
/// chunks of `chunks`.
Schedule schedule_of(const RunRecord& run, int chunks);

/// Of a run of a schedule (NAME.schedule): what its first fault is, "After step 2, chunk 1 on rank 3
/// has rank 0's data twice."; empty when every rank ends with what the collective promises.
std::string schedule_fault(const RunRecord& run, const Schedule& schedule);

/// What a schedule may use. 0 or false: no rule.
struct ScheduleRules {
  int rounds = 0;         ///< Steps, at most.
  int chunks_sent = 0;    ///< Chunks that one rank sends, at most.
  int messages = 0;       ///< Rows of the table in all, at most.
  bool ring = false;      ///< Only to a neighbour, rank ± 1.
  bool one_send = false;  ///< In a step each rank sends at most once and receives at most once.
  int count() const noexcept {
    return (rounds > 0 ? 1 : 0) + (chunks_sent > 0 ? 1 : 0) + (messages > 0 ? 1 : 0) +
           (ring ? 1 : 0) + (one_send ? 1 : 0);
  }
};
/// A sentence for each rule that is broken, with figures.
std::vector<std::string> broken_rules(const Schedule& schedule, int ranks,
                                      const ScheduleRules& rules);

}  // namespace rankscope
