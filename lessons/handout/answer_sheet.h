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

struct SheetOptions {
  std::string course;   ///< The course's or lesson's name.
  std::string student;  ///< Empty when the student fills it in.
  std::uint64_t seed = 0;
  std::map<std::string, nlohmann::json> answers = {};  ///< That are filled in, by "lesson/id".
};
/// Writes the sheet in TOML. `runs` gets to know the runs of each entry's lesson.
std::string answer_sheet(const std::vector<CourseEntry>& entries, const SheetOptions& options,
                         LessonRuns& runs);

}  // namespace rankscope
