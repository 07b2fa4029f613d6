// Copies of lessons for students, without answers and without anything that is not known to be harmless.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lessons/course/course.h"
#include "lessons/grading/sealed_formula.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// The parts of a copy beside the questions.
struct CopySettings {
  /// Without it, no answer is judged before the lecturer has it.
  std::optional<CourseFeedback> feedback = {};
  SealCost cost = {};  ///< The cost of a guess where the copy itself judges a formula.
  /// The student and seed of a personal copy (personal_copies.h); seed 0 for any other.
  std::string student = {};
  std::uint64_t seed = 0;
  std::string own = {};      ///< Salts its boxes.
  std::string answers = {};  ///< Its answers.toml.
};

/// The seals of questions, by "lesson/id", made once for a whole class.
using SealedKeys = std::map<std::string, std::vector<SealedGroup>>;

/// Seals all formulas, which takes some seconds each; `done` is called after each of `all` questions, and stops (UserError)
/// by returning false.
SealedKeys seal_keys(const std::vector<const Lesson*>& lessons, const SealCost& cost,
                     const std::function<bool(std::size_t done, std::size_t all)>& done = {});
/// Writes FOLDER/content/NN-slug for each lesson, and FOLDER/courses/NAME.toml: a folder for
/// RANKSCOPE_LESSONS. Writes all of it or nothing: throws UserError when FOLDER has something in it, when a lesson has
/// mistakes, or when it cannot be written. Courses are without rules for handing in and without names.
void pack_for_students(const std::vector<const Lesson*>& lessons,
                       const std::vector<std::filesystem::path>& courses,
                       const std::filesystem::path& folder, LessonRuns& runs,
                       const CopySettings& settings = {}, const SealedKeys& keys = {});

/// Removes an existing copy. Throws UserError for a folder with anything else in it.
void remove_copy(const std::filesystem::path& folder);

}  // namespace rankscope
