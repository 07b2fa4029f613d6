// The schedule that somebody draws, and what is known of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gui/state/schedule/schedule_facts.h"

namespace rankscope::gui {

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
