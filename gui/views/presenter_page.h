// The page of the presenter's window: notes, the next step, and the time.
#pragma once

#include <string>

#include "gui/state/model/narrator.h"
#include "gui/views/base/view.h"
#include "gui/views/lesson/lesson_text.h"
#include "gui/views/scene_strip.h"

namespace rankscope::gui {

class PresenterPage {
 public:
  /// Fills the current window of Dear ImGui's context.
  void draw(ViewContext& context);

 private:
  void header(ViewContext& context, float width);
  void clocks(ViewContext& context, float width);
  void notes(ViewContext& context, ImVec2 size);
  void next(ViewContext& context, ImVec2 size);
  void run(ViewContext& context, float width);
  void lesson(ViewContext& context, float width);
  void buttons(ViewContext& context, float width);

  void next_scene(ViewContext& context, float width);

  MarkdownCache markdown_;
  SceneStrip strip_;
  Narrator now_, ahead_;
  std::string page_;  ///< The page whose notes are shown; another one begins at its top.
};

}  // namespace rankscope::gui
