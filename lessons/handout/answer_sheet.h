// The answer sheet: a file with a commented entry for each question, which students fill in and hand in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/course/course.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

struct SheetEntry {
  std::string part;  ///< A heading, printed where it changes.
  const Lesson* lesson = nullptr;
  const Question* question = nullptr;  ///< Null for a coding exercise.
  const CodingExercise* coding = nullptr;
  std::string title;
  double points = 0;
};

/// The exercises of a lesson, or of a course with its points.
std::vector<SheetEntry> entries_of(const Lesson& lesson);
std::vector<SheetEntry> entries_of(const Course& course, const LessonLibrary& library);

struct SheetOptions {
  std::string course;   ///< The course's or lesson's name.
  std::string student;  ///< Empty when the student fills it in.
  std::uint64_t seed = 0;
  std::map<std::string, nlohmann::json> answers = {};  ///< That are filled in, by "lesson/id".
};
/// Writes the sheet in TOML. `runs` gets to know the runs of each entry's lesson.
std::string answer_sheet(const std::vector<SheetEntry>& entries, const SheetOptions& options,
                         LessonRuns& runs);

}  // namespace rankscope
