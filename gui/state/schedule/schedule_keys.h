// A drawn schedule by keyboard, and what a gesture from one chunk to another one means.
#pragma once

#include <optional>
#include <string>

#include "gui/state/schedule/schedule_facts.h"

namespace rankscope::gui {

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
