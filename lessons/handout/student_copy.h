// Lessons without their answers, to be given away: what is not known to be harmless is left out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lessons/grading/sealed_formula.h"
#include "lessons/lesson/course.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// What goes into a copy beside the questions.
struct CopySettings {
  /// Nothing: answers are kept, and none is judged before the lecturer has them.
  std::optional<CourseFeedback> feedback = {};
  SealCost cost = {};  ///< Of a guess, where a formula is judged by the copy itself.
  /// Of a personal copy (personal_copies.h); seed 0: of none.
  std::string student = {};
  std::uint64_t seed = 0;
  std::string own = {};      ///< Salts its boxes.
  std::string answers = {};  ///< Its answers.toml.
};

/// The seals of questions by "lesson/id", made once for a whole class.
using SealedKeys = std::map<std::string, std::vector<SealedGroup>>;

/// A lesson.toml's contents without keys: neither answers, explanations, known mistakes, stored answers
/// nor rubrics. Items to be ordered are shuffled, as everybody sees them.
nlohmann::json student_copy_of(const nlohmann::json& lesson_toml, const Lesson& lesson,
                               LessonRuns& runs, const CopySettings& settings = {},
                               const SealedKeys& keys = {});
/// Slow, some seconds for each formula; `done` is told after each of `all` questions, and false stops (UserError).
SealedKeys seal_keys(const std::vector<const Lesson*>& lessons, const SealCost& cost,
                     const std::function<bool(std::size_t done, std::size_t all)>& done = {});
/// A text without the lecturer's notes.
std::string without_notes(std::string_view markdown);

/// Writes FOLDER/content/NN-slug for each lesson, and FOLDER/courses/NAME.toml: a folder for
/// RANKSCOPE_LESSONS. All of it or nothing: throws UserError when there is something already, when a lesson
/// has mistakes, or when it cannot be written. Of a course it has no rules for handing in, and nobody's name.
void pack_for_students(const std::vector<const Lesson*>& lessons,
                       const std::vector<std::filesystem::path>& courses,
                       const std::filesystem::path& folder, LessonRuns& runs,
                       const CopySettings& settings = {}, const SealedKeys& keys = {});

/// Removes a copy that is there, to make it again. Throws UserError for a folder that has anything else in it.
void remove_copy(const std::filesystem::path& folder);

}  // namespace rankscope
