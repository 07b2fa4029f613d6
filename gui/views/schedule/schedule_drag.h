// What the mouse does to a drawn schedule: a chunk that is dragged to another rank, and a move to another step.
#pragma once

#include <optional>

#include "gui/state/schedule/schedule_scene.h"
#include "gui/views/scene/scene_painter.h"
#include "gui/views/view.h"

namespace rankscope::gui {

class ScheduleDrag {
 public:
  /// True: the mouse is for a chunk or a move.
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered);
  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
            const ScenePlace& place);

 private:
  struct Held {
    ScheduleState::Place from;
    int move = -1;  ///< Else a chunk is held.
    ImVec2 at;
    bool moved = false;
  };
  void drop(ViewContext& context, const std::optional<ScheduleState::Place>& to) const;
  /// A move's number below a point; -1: none.
  int move_at(Point at) const;

  Scene scene_;  ///< That was drawn last: what the mouse is on.
  std::uint64_t of_ = 0;
  std::optional<Held> held_;
};

}  // namespace rankscope::gui
