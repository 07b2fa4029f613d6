// The files of a submission by the exercises of a course that they answer.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lessons/course/course.h"

namespace rankscope {

struct ExerciseFile {
  std::string key;                           ///< "broadcast/my-broadcast"
  const CodingExercise* exercise = nullptr;  ///< As its lesson has it.
  std::string wanted;      ///< The files asked for: "src/collectives.py or my_broadcast.py".
  std::string file;        ///< Below the submission's folder; empty if none was handed in.
  std::string module;      ///< The name by which the course's other files import it; may be empty.
  std::string nearest;     ///< Without a file: one that may be meant, if any.
  bool unwritten = false;  ///< Its function is still the starter's: it raises NotImplementedError.

  /// The exercise with this file in the place of its own, as it is graded.
  CodingExercise to_grade() const;
  /// Says what is lacking, and what to do next; empty for a file with a written function.
  std::string says() const;
};

/// Finds the submission's files for the course's code exercises, in the course's order. A file counts at the path of the
/// course's [[file]], under the exercise's own name in any folder, or as a notebook with the function. `accepted` are
/// files that a TA named, by key. Links are not followed, and no file is run.
std::vector<ExerciseFile> exercise_files(const LessonLibrary& library, const Course& course,
                                         const std::filesystem::path& folder,
                                         const std::map<std::string, std::string>& accepted = {});

/// The same for one exercise, under its own name.
ExerciseFile exercise_file(const CodingExercise& exercise, const std::filesystem::path& folder);

/// The files in a submission's folder for which is_answer_like() holds.
std::vector<std::string> answer_like_files(const std::filesystem::path& folder);

/// A program's text, or that of a notebook's code cells, or of one (from 1), without outputs. Sets `fault` if it cannot be read.
std::string program_text(const std::filesystem::path& file, std::string& fault, int cell = 0);

/// Returns whether a file has the exercise's function, and more in it than the starter.
bool is_begun_in(const CodingExercise& exercise, const std::filesystem::path& file);

/// Names, and paths of the course, of files that make a submission by themselves; "*.ipynb" stands for any notebook.
std::set<std::string> program_names(const LessonLibrary& library, const Course& course);

}  // namespace rankscope
