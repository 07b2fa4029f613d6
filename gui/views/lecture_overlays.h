// Overlays of the window in a lecture: spotlight, the pen's lines, a countdown, a black screen.
#pragma once

#include "gui/state/lecture/lecture_state.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

class LectureOverlays {
 public:
  /// Draws the overlays, after everything else. `covered`: a dialog lies over the window and gets the mouse.
  void draw(ViewContext& context, bool covered);

 private:
  void spotlight(ViewContext& context);
  void canvas(ViewContext& context);
  void tools(ViewContext& context);
  void follow(ViewContext& context, ImVec2 room);
  void strokes(const ViewContext& context) const;
  static void countdown(ViewContext& context);
  static void small_countdown(ViewContext& context, const std::string& text);
  static void countdown_button(ViewContext& context, ImVec2 low, ImVec2 size);
  void black(ViewContext& context);

  PenStroke drawn_;       ///< The line that is being drawn; without points if there is none.
  ImVec2 light_{-1, -1};  ///< Where the mouse was last.
};

}  // namespace rankscope::gui
