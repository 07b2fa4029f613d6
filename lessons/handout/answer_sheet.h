// The file that a student fills in and hands in: a commented entry for each question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/lesson/course.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

struct SheetEntry {
  std::string part;  ///< A heading where it differs from the entry before.
  const Lesson* lesson = nullptr;
  const Question* question = nullptr;  ///< Null: a coding exercise.
  const CodingExercise* coding = nullptr;
  std::string title;
  double points = 0;
};

/// All exercises of a lesson, or of a course with its points.
std::vector<SheetEntry> entries_of(const Lesson& lesson);
std::vector<SheetEntry> entries_of(const Course& course, const LessonLibrary& library);

struct SheetOptions {
  std::string course;   ///< The course's or lesson's name.
  std::string student;  ///< May be empty: to be filled in.
  std::uint64_t seed = 0;
};
/// TOML. `runs` must not know more than what a question's form needs: each entry's lesson is made known.
std::string answer_sheet(const std::vector<SheetEntry>& entries, const SheetOptions& options,
                         LessonRuns& runs);

}  // namespace rankscope
