// Goes through a lecture's scenes in the order in which they are given.
#include "gui/state/lecture/lecture_state.h"

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

std::size_t ScenesState::place() const noexcept {
  return static_cast<std::size_t>(ranges::find(order, now) - order.begin());
}

std::optional<std::size_t> ScenesState::neighbour(int direction) const noexcept {
  for (auto at = static_cast<std::ptrdiff_t>(place()) + direction;
       at >= 0 && at < static_cast<std::ptrdiff_t>(order.size()); at += direction)
    if (const std::size_t scene = order[static_cast<std::size_t>(at)]; !skipped[scene])
      return scene;
  return std::nullopt;
}

double ScenesState::minutes(bool until_now) const noexcept {
  double all = 0;
  for (const std::size_t scene : order) {
    if (!skipped[scene]) all += lecture->scenes[scene].minutes;
    if (until_now && scene == now) break;
  }
  return all;
}

}  // namespace rankscope::gui
