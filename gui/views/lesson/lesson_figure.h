// Draws a lesson's figures: in the text, beside a question, and in the whole window.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gui/views/scene/scene_view.h"
#include "lessons/lesson/lesson.h"

namespace rankscope::gui {

class FigurePainter {
 public:
  /// Forgets what was made for another lesson.
  void clear();
  /// Draws the figure at the cursor in the middle of `room`, without its caption. A height of 0: as high as it needs, and not
  /// larger than drawn; else up to twice as large. Returns whether it was clicked.
  bool draw(ViewContext& context, const LessonFigure& figure, ImVec2 room);
  /// The same with the caption below, in a pane of its own. Returns whether it was clicked.
  bool draw_large(ViewContext& context, const LessonFigure& figure, ImVec2 room);
  /// Returns whether a figure drawn since the last call is still being made: it will be higher.
  bool take_unfinished() { return std::exchange(unfinished_, false); }

 private:
  bool being_made(ViewContext& context, ImVec2 room);
  bool drawing(ViewContext& context, const LessonFigure& figure, ImVec2 room);
  bool scene(ViewContext& context, const LessonFigure& figure,
             const std::shared_ptr<const RunRecord>& run, ImVec2 room);

  std::map<std::string, std::unique_ptr<SceneCache>, std::less<>> scenes_;
  std::map<std::string, Scene, std::less<>> files_;
  std::string of_;  ///< The lesson that both are of.
  bool unfinished_ = false;
};

}  // namespace rankscope::gui
