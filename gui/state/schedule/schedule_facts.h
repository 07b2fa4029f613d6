// A drawn schedule and its facts: the proof, the contents of each rank after each step, and the times.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/job/job.h"
#include "engine/studio/drawn/drawn_schedule.h"
#include "engine/studio/proof/proof.h"

namespace rankscope::gui {

struct ScheduleFacts {
  DrawnSchedule drawn;
  std::string problem;  ///< Why nothing can be proved, if so.
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
/// Returns the counter-example, a line per task, if there is one.
std::vector<std::string> counter_example(const ScheduleFacts& facts);

/// The network and the amount of data for its times.
struct ScheduleTrial {
  std::string network;  ///< A topology's name or file; empty for a uniform network.
  std::uint64_t bytes = std::uint64_t{1} << 20;  ///< Bytes that a rank passes in.
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
  /// Returns the place of the drawn schedule, from 1, or 0.
  int place() const noexcept;
};
/// Simulates it and all algorithms of its collective that can run there, sizes only.
ScheduleTimes schedule_times(const DrawnSchedule& drawn, const ScheduleTrial& trial,
                             const std::atomic<bool>& stopped);
/// The job that runs it. Throws UserError.
JobSpec job_of_drawn(const DrawnSchedule& drawn, const ScheduleTrial& trial);

struct ScheduleState {
  std::optional<ScheduleEditor> editor;  ///< Empty while none is drawn.
  std::string file;                      ///< Empty until it is opened or saved.
  std::shared_ptr<const ScheduleFacts> facts;
  std::shared_ptr<const ScheduleTimes> times;  ///< The times of `editor`, or of an earlier state.
  bool timing = false;
  ScheduleTrial trial;
  int selected = -1;  ///< A move.
  bool adds = true;   ///< A dragged chunk is added to the one there; else it replaces it.
  /// For the keyboard: a chunk of a rank after a step.
  struct Place {
    int step = 0;
    Rank rank = 0;
    int chunk = 0;
    bool operator==(const Place&) const = default;
  };
  std::optional<Place> cursor, picked;
  std::uint64_t id = 0;  ///< Changes with the picture.

  bool times_are_current() const {
    return times && editor && times->drawn == editor->drawn() && times->trial == trial;
  }
};

/// "up", "down", "left" or "right" by a chunk or a step; the first word shows it at rank 0, chunk 0. Throws UserError for
/// another word.
ScheduleState::Place moved_cursor(const DrawnSchedule& drawn,
                                  const std::optional<ScheduleState::Place>& from,
                                  const std::string& word);

/// Returns the move that takes the chunk at one place to another rank: in the first step after `from`, or in `to`'s if that is
/// later. Throws UserError for the same rank.
ScheduleMove move_between(const DrawnSchedule& drawn, const ScheduleState::Place& from,
                          const ScheduleState::Place& to, bool adds);

}  // namespace rankscope::gui
