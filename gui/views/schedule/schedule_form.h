// Below a drawn schedule: its sizes, what its proof says, and how long it takes beside all algorithms.
#pragma once

#include "gui/views/view.h"

namespace rankscope::gui {

class ScheduleForm {
 public:
  /// `room`: the pane's height. A low pane has the sizes and the verdict alone.
  static float height(const ViewContext& context, float width, float room);
  static void draw(ViewContext& context, float width, float room);

  static float offers_height(const ViewContext& context);
  static void draw_offers(ViewContext& context);
};

}  // namespace rankscope::gui
