// Moves the cursor over chunks, and turns gestures into moves.
#include "gui/state/schedule/schedule_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope::gui {

ScheduleState::Place moved_cursor(const DrawnSchedule& drawn,
                                  const std::optional<ScheduleState::Place>& from,
                                  const std::string& word) {
  const bool up = word == "up", down = word == "down", left = word == "left",
             right = word == "right";
  if (!up && !down && !left && !right)
    throw UserError(fmt::format("schedule cursor up, down, left or right, not \"{}\"", word));
  if (!from) return {};
  ScheduleState::Place at = *from;
  const int rows = drawn.ranks * drawn.chunks;
  const int row = std::clamp(at.rank * drawn.chunks + at.chunk +
                                 (down ? 1
                                  : up ? -1
                                       : 0),
                             0, rows - 1);
  at.rank = row / drawn.chunks;
  at.chunk = row % drawn.chunks;
  at.step = std::clamp(at.step + (right ? 1 : left ? -1 : 0), 0, drawn.steps() + 1);
  return at;
}

ScheduleMove move_between(const DrawnSchedule& drawn, const ScheduleState::Place& from,
                          const ScheduleState::Place& to, bool adds) {
  if (from.rank == to.rank)
    throw UserError(
        fmt::format("rank {} has that chunk already: drop it at another rank", from.rank));
  return {.step = std::max(std::min(from.step, drawn.steps()) + 1, to.step),
          .from = from.rank,
          .to = to.rank,
          .chunk = from.chunk,
          .add = adds};
}

}  // namespace rankscope::gui
