// A code exercise by its id, and the program that is handed in for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "lessons/course/course.h"

namespace rankscope::cli {

/// Throws UserError that names all exercises.
const CodingExercise& exercise_named(const LessonLibrary& library, const std::string& id);

/// A student's folder or single file, as the grader needs it.
class Submission {
 public:
  /// Throws UserError unless it is what the exercise asks for.
  Submission(const std::string& given, const CodingExercise& exercise);
  const std::filesystem::path& folder() const noexcept { return folder_; }
  /// Returns the exercise with the student's file in place of its own.
  const CodingExercise& exercise() const noexcept { return exercise_; }

 private:
  std::filesystem::path folder_;
  CodingExercise exercise_;
  /// Copy of a single file and of the modules that it imports.
  std::optional<ScratchFolder> made_;
};

}  // namespace rankscope::cli
