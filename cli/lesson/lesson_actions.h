// What `rankscope lesson` does, a file an action.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "lessons/course/course.h"

namespace rankscope::cli {

struct LessonOptions {
  std::vector<std::string> names;
  std::vector<std::string> exercises;  ///< Of drills; empty: all that have some.
  std::string student, output, format, notes, lang, roster, secret;
  std::string file;        ///< That repair judges, without an editor.
  std::string sheet_size;  ///< Of `--sheet` with a number of drills.
  std::uint64_t seed = 0;
  bool seed_given = false;
  int step = 0;      ///< From 1; 0: not said.
  int variants = 3;  ///< Of a question in a bank.
  int count = 200;   ///< Of drills.
  bool lecturer = false, reveal = false, answers = false, sheet = false, restart = false,
       force = false, dark = false, no_notes = false, no_sandbox = false;
};

int list_lessons(const Console& console, const LessonOptions& options);
int check_lessons(const Console& console, const LessonOptions& options);
int show_lesson(const Console& console, const LessonOptions& options);
int run_lesson(const Console& console, const LessonOptions& options);
int new_lesson(const Console& console, const LessonOptions& options);
int export_lesson(const Console& console, const LessonOptions& options);
int make_slides(const Console& console, const LessonOptions& options);
int make_script(const Console& console, const LessonOptions& options);
int make_bank(const Console& console, const LessonOptions& options);
int make_lesson_drills(const Console& console, const LessonOptions& options);
int lesson_language(const Console& console, const LessonOptions& options);
int repair_program(const Console& console, const LessonOptions& options);
int pack_lessons(const Console& console, const LessonOptions& options);

/// By its name, in the language that was asked for, is remembered or is the environment's (translation.h).
Lesson lesson_in_language(const LessonOptions& options);
/// For files that others get. Throws UserError for one that has mistakes, and could only partly be read.
Lesson whole_lesson(const std::string& name);
/// "-": the standard output. Says what was written.
void write_text(const Console& console, const std::string& file, const std::string& bytes);

}  // namespace rankscope::cli
