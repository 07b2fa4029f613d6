// Lessons and courses for scripts.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lessons/course/course.h"
#include "lessons/course/progress.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::cli {

nlohmann::json json_of(const LessonLibrary& library,
                       const std::function<LessonProgress(const std::string& lesson)>& progress);
nlohmann::json json_of(const Course& course);
/// A lesson with the numbers of a seed; notes and right answers for the lecturer only.
nlohmann::json json_of(const Lesson& lesson, std::uint64_t seed, bool lecturer, LessonRuns& runs);

}  // namespace rankscope::cli
