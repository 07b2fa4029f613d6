// Lessons without their answers, to be given away: what is not known to be harmless is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lessons/lesson/course.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// A lesson.toml's contents without keys: neither answers, explanations, known mistakes, stored answers
/// nor rubrics. Items to be ordered are shuffled, as everybody sees them.
nlohmann::json student_copy_of(const nlohmann::json& lesson_toml, const Lesson& lesson,
                               LessonRuns& runs);
/// A text without the lecturer's notes.
std::string without_notes(std::string_view markdown);

/// Writes FOLDER/content/NN-slug for each lesson, and FOLDER/courses/NAME.toml: a folder for
/// RANKSCOPE_LESSONS. All of it or nothing: throws UserError when there is something already, when a lesson
/// has mistakes, or when it cannot be written.
void pack_for_students(const std::vector<const Lesson*>& lessons,
                       const std::vector<std::filesystem::path>& courses,
                       const std::filesystem::path& folder, LessonRuns& runs);

}  // namespace rankscope
