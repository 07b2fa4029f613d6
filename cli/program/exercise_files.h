// A code exercise by its id, and the program that is handed in for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "lessons/course/course.h"

namespace rankscope::cli {

/// Throws UserError that names those that there are.
const CodingExercise& exercise_named(const LessonLibrary& library, const std::string& id);

/// A folder with the exercise's file, which a single file may lack.
class Submission {
 public:
  /// Throws UserError when there is no such file, or none that the exercise asks for.
  Submission(const std::string& given, const CodingExercise& exercise);
  const std::filesystem::path& folder() const noexcept { return folder_; }
  /// The exercise with that file in the place of its own.
  const CodingExercise& exercise() const noexcept { return exercise_; }

 private:
  std::filesystem::path folder_;
  CodingExercise exercise_;
  std::optional<ScratchFolder> made_;  ///< For a single file, with the modules that it imports.
};

}  // namespace rankscope::cli
