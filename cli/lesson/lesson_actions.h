// What `rankscope lesson` does, a file an action.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "lessons/lesson/course.h"

namespace rankscope::cli {

struct LessonOptions {
  std::string action;
  std::vector<std::string> names;
  std::string student, output, format;
  std::uint64_t seed = 0;
  bool seed_given = false;
  int step = 0;  ///< From 1; 0: not said.
  bool lecturer = false, reveal = false, answers = false, sheet = false, restart = false,
       force = false;
};

int list_lessons(const Console& console, const LessonOptions& options);
int check_lessons(const Console& console, const LessonOptions& options);
int show_lesson(const Console& console, const LessonOptions& options);
int run_lesson(const Console& console, const LessonOptions& options);
int new_lesson(const Console& console, const LessonOptions& options);
int export_lesson(const Console& console, const LessonOptions& options);
int pack_lessons(const Console& console, const LessonOptions& options);

}  // namespace rankscope::cli
