// What follows from a drawn schedule: its proof, what each rank holds after each step, and how long it takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/run/job/job.h"
#include "engine/studio/drawn/step_contents.h"
#include "engine/studio/proof/proof.h"

namespace rankscope::gui {

struct ScheduleFacts {
  DrawnSchedule drawn;
  std::string problem;  ///< Why nothing can be proved of it; empty: it can.
  StepContents contents;
  TaskGraph tasks;      ///< As ranks post them.
  ScheduleProof proof;  ///< Also with sends that wait for their receives.
  bool is_right() const noexcept { return problem.empty() && proof.right(); }
  /// The drawn moves of the counter-example: numbers, ascending.
  std::vector<int> marked;
};
ScheduleFacts schedule_facts(const DrawnSchedule& drawn);
/// One line for a person: "Proved: ..." or what is wrong, with rank, chunk and step.
std::string verdict_text(const ScheduleFacts& facts);
/// The counter-example, a line a task; empty: there is none.
std::vector<std::string> counter_example(const ScheduleFacts& facts);

/// On which network it is timed, with how much data.
struct ScheduleTrial {
  std::string network;  ///< A topology's name or file; empty: a uniform network.
  std::uint64_t bytes = std::uint64_t{1} << 20;  ///< That a rank passes in.
  bool operator==(const ScheduleTrial&) const = default;
};
struct ScheduleTime {
  std::string name;
  bool own = false;
  double seconds = 0;
};
struct ScheduleTimes {
  DrawnSchedule drawn;
  ScheduleTrial trial;
  std::vector<ScheduleTime> rows;  ///< The fastest first.
  std::string problem;             ///< Why there is none of the drawn schedule.
  /// Its place among them, from 1; 0: none.
  int place() const noexcept;
};
/// Simulates it and all algorithms of its collective that can run there, sizes only.
ScheduleTimes schedule_times(const DrawnSchedule& drawn, const ScheduleTrial& trial,
                             const std::atomic<bool>& stopped);
/// The job that runs it. Throws UserError.
JobSpec job_of_drawn(const DrawnSchedule& drawn, const ScheduleTrial& trial);

}  // namespace rankscope::gui
