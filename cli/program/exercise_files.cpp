// Finds a code exercise, and makes the folder in which its grader looks for the program.
#include "cli/program/exercise_files.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "lessons/lesson/coding_cpp.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/submissions/program_parts.h"

namespace rankscope::cli {

namespace fs = std::filesystem;

const CodingExercise& exercise_named(const LessonLibrary& library, const std::string& id) {
  std::vector<std::string> ids;
  for (const Lesson& lesson : library.lessons()) {
    const CodingExercise* const found = lesson.find_coding(id);
    if (found != nullptr && found->graded()) return *found;
    for (const CodingExercise& one : lesson.coding)
      if (one.graded()) ids.push_back(one.id);
  }
  throw UserError(fmt::format("there is no code exercise \"{}\"{}; there are: {}", id,
                              nearest_hint(id, ids), fmt::join(ids, ", ")));
}

Submission::Submission(const std::string& given, const CodingExercise& exercise)
    : folder_(given), exercise_(exercise) {
  std::error_code error;
  if (fs::is_directory(given, error)) {
    const ExerciseFile found = exercise_file(exercise, folder_);
    if (found.file.empty())
      throw UserError(fmt::format("{} has no {}: that is the file that the exercise {} asks for{}",
                                  given, found.wanted, exercise.id,
                                  found.nearest.empty() ? "" : "; is it " + found.nearest + "?"));
    exercise_ = found.to_grade();
    return;
  }
  if (!fs::is_regular_file(given, error))
    throw UserError(fmt::format("{} is neither a file nor a folder", given));
  const std::string ending = fs::path(given).extension().string();
  const auto cpp = cpp_contract(exercise);
  if (is_cpp(given) && !cpp)
    throw UserError(
        fmt::format("the exercise {} is for Python: hand in {}", exercise.id, exercise.file));
  const std::string name = fs::path(given).filename().string();
  if (is_cpp(given)) {
    exercise_.file = cpp->file;
  } else if (ending == ".ipynb" || ending == ".py") {
    // Messages name the student's file; its module keeps the exercise's name, since "ray" would hide the package.
    if (ending == ".py" && name != exercise_.file)
      exercise_.module = fs::path(exercise_.file).stem().string();
    exercise_.file = name;
  } else {
    throw UserError(fmt::format("{} is no program for the exercise {}: hand in {}{} or a notebook",
                                given, exercise.id, exercise.file,
                                cpp ? ", " + cpp->file : std::string()));
  }
  folder_ = made_.emplace("exercise").path();
  copy_program(given, folder_ / exercise_.file);
}

}  // namespace rankscope::cli
