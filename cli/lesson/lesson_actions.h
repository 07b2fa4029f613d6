// The actions of `rankscope lesson`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "lessons/course/course.h"

namespace rankscope::cli {

struct LessonOptions {
  std::vector<std::string> names;
  std::vector<std::string> exercises;  ///< The exercises whose drills are made; empty for all.
  std::string student, output, format, notes, lang, roster, secret;
  std::string from;        ///< A folder with the files to hand in.
  std::string file;        ///< The file that repair judges, without an editor.
  std::string sheet_size;  ///< The number of drills after `--sheet`.
  std::uint64_t seed = 0;
  bool seed_given = false;
  int step = 0;      ///< A page, from 1; 0 for all.
  int variants = 3;  ///< Variants of each question in a bank.
  int count = 200;   ///< Drills to make.
  bool lecturer = false, reveal = false, answers = false, sheet = false, restart = false,
       force = false, dark = false, no_notes = false, no_sandbox = false;
};

int list_lessons(const Console& console, const LessonOptions& options);
int check_lessons(const Console& console, const LessonOptions& options);
int show_lesson(const Console& console, const LessonOptions& options);
int run_lesson(const Console& console, const LessonOptions& options);
/// Shows a course's check list, and goes on at its first open question.
int run_course(const Console& console, const LessonOptions& options);
/// Returns whether there is a course of this name, and no lesson.
bool names_course(const std::string& name);
int new_lesson(const Console& console, const LessonOptions& options);
int export_lesson(const Console& console, const LessonOptions& options);
int make_slides(const Console& console, const LessonOptions& options);
int make_script(const Console& console, const LessonOptions& options);
int make_bank(const Console& console, const LessonOptions& options);
int make_lesson_drills(const Console& console, const LessonOptions& options);
int lesson_language(const Console& console, const LessonOptions& options);
int repair_program(const Console& console, const LessonOptions& options);
int hand_in_course(const Console& console, const LessonOptions& options);
int check_answer_sheet(const Console& console, const LessonOptions& options);
int pack_lessons(const Console& console, const LessonOptions& options);

/// Returns the student of --student, else this user.
std::string student_of(const LessonOptions& options);
/// Returns a lesson by its name, in the language that was asked for, is remembered or is the environment's.
Lesson lesson_in_language(const LessonOptions& options);
/// Writes a file and says so; "-" is the standard output.
void write_text(const Console& console, const std::string& file, const std::string& bytes);

}  // namespace rankscope::cli
