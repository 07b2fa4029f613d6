// The lesson beside the live views, and the list of all lessons.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "gui/views/base/view.h"
#include "gui/views/lesson/lesson_question.h"

namespace rankscope::gui {

/// All lessons and courses: over the panes.
class LessonBrowser {
 public:
  void draw(ViewContext& context);

 private:
  void courses(ViewContext& context, float width);
  void cards(ViewContext& context);
  void card(ViewContext& context, const LessonCard& card, std::size_t number);
  void students(ViewContext& context);

  std::array<char, 80> name_{};
  std::map<ImGuiID, float> heights_;
};

}  // namespace rankscope::gui
