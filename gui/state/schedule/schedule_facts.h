// What follows from a drawn schedule: its proof, what each rank holds after each step, and how long it takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
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

struct ScheduleState {
  std::optional<ScheduleEditor> editor;  ///< Empty: none is drawn.
  std::string file;                      ///< Empty: it has not been opened or saved.
  std::shared_ptr<const ScheduleFacts> facts;
  std::shared_ptr<const ScheduleTimes> times;  ///< Of `editor`, or of what it was before.
  bool timing = false;
  ScheduleTrial trial;
  int selected = -1;  ///< A move.
  bool adds = true;   ///< What is dragged is added; false: it replaces what was there.
  /// For the keyboard: a chunk of a rank after a step.
  struct Place {
    int step = 0;
    Rank rank = 0;
    int chunk = 0;
    bool operator==(const Place&) const = default;
  };
  std::optional<Place> cursor, picked;
  std::uint64_t id = 0;  ///< Another one for each change of what is shown.

  bool times_are_current() const {
    return times && editor && times->drawn == editor->drawn() && times->trial == trial;
  }
};

}  // namespace rankscope::gui
