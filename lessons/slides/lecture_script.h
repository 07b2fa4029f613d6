// Writes a lesson as a script of the application, for a lecturer with a clicker.
#pragma once

#include <string>

#include "lessons/lesson/lesson.h"

namespace rankscope {

/// Commands, one per line, that open each page, ask each question and show its answer, open and play each run; `wait click`
/// precedes each point for discussion. The lecturer's notes are comments. The application opens the lesson by `name`.
std::string lecture_script(const Lesson& lesson, const std::string& name);

}  // namespace rankscope
