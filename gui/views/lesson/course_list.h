// A course as a check list: its items in its own order, with points and states.
#pragma once

#include <string_view>

#include "gui/views/lesson/lesson_widgets.h"

namespace rankscope::gui {

/// "Homework · Task 2 · Step 2 (b)" and "26.5 of 50 · due 2026-11-20 23:59", for the item on the open page.
struct CourseLine {
  std::string place, item;     ///< `item`: the end of `place`, where it does not fit.
  std::string points, scored;  ///< `scored`: without the date.
};
CourseLine course_line(const CourseCard& card, const CourseCard::Item& item);
/// Draws the course's items; a click leads to one. The one on the page is scrolled to if `to_here`.
void draw_course_items(LessonContext& lesson, const CourseCard& card, bool to_here = false);
/// Draws the button that leads from a question or exercise to the course's next open item, or to the hand-in if there is none.
void next_in_course(LessonContext& lesson, std::string_view exercise);
/// Draws the form of what is handed in, and what came of it.
void draw_hand_in(LessonContext& lesson, const CourseCard& card, std::string& to,
                  std::string& student);

}  // namespace rankscope::gui
