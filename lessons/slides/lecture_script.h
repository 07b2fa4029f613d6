// A lesson as a script of the application, for a lecturer with a clicker.
#pragma once

#include <string>

#include "lessons/lesson/lesson.h"

namespace rankscope {

/// Commands, one a line: opens each page, asks each question and shows its answer, opens and plays each run; `wait click`
/// stands before whatever the room should talk about. The lecturer's notes are comments. `name`: by which the
/// application opens the lesson.
std::string lecture_script(const Lesson& lesson, const std::string& name);

}  // namespace rankscope
