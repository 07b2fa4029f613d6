// The lesson beside the live views, and the list of all lessons.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gui/views/base/view.h"
#include "gui/views/lesson/lesson_question.h"

namespace rankscope::gui {

/// All lessons and courses: over the panes.
class LessonBrowser {
 public:
  void draw(ViewContext& context);
  /// Tab moves the focus in a course's page.
  bool takes_key(std::string_view key) {
    return (key == "Tab" || key == "Shift+Tab") && ring_.tab(key != "Tab");
  }

 private:
  void course_page(ViewContext& context, const CourseCard& course);
  void courses(ViewContext& context, float width);
  void cards(ViewContext& context);
  void card(ViewContext& context, const LessonCard& card, std::size_t number);
  void students(ViewContext& context);

  FocusRing ring_;
  MarkdownCache markdown_;
  std::string to_, student_;  ///< Of the form for handing in.
  std::string form_;          ///< The place and name that it was filled with.
  std::array<char, 80> name_{};
  std::map<ImGuiID, float> heights_;
};

}  // namespace rankscope::gui
