// A code exercise of a lesson: its contract, the program that is handed in, and what the grader says of it.
#pragma once

#include <map>
#include <string>

#include "gui/views/lesson/lesson_widgets.h"
#include "lessons/lesson/coding.h"

namespace rankscope::gui {

/// The text in the field for the program's file, by exercise.
struct TypedProgram {
  std::string text;
  std::string chosen;    ///< The file that it was last the same as.
  bool awaited = false;  ///< Its grading was begun here,
  bool offered = false;  ///< The program of another exercise was written into the empty field.
  int looks = 0;         ///< and what comes of it is brought into sight for so many frames more.
};
using TypedPrograms = std::map<std::string, TypedProgram, std::less<>>;

void draw_coding(LessonContext& lesson, TypedPrograms& typed, const CodingExercise& exercise);

}  // namespace rankscope::gui
