// The files that users' programs need (librankscope, its headers, the Python package), and the exercise that a file answers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "lessons/coding/boxes.h"
#include "lessons/course/course.h"

namespace rankscope::cli {

/// Returns librankscope. Throws UserError if it is not there.
std::string library_path();
/// Returns the folder with rankscope.hpp. Throws UserError.
std::filesystem::path include_folder();
/// Returns lessons/python. Throws UserError.
std::filesystem::path python_files();
/// Returns the first process of a rank's box. Throws UserError.
std::filesystem::path first_process();
/// Returns all options but the submission. `or_other_user`: without boxes, use another user who cannot read the answers.
CodeBoxesOptions code_boxes_options(bool no_sandbox, bool or_other_user = false);
/// Lets many programs share libraries, which are loaded once, and headers, which are compiled once.
void share_for_class(CodeBoxesOptions& options);

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
