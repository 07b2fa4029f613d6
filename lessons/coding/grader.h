// Grades a code exercise: runs the program in boxes, in all cases that its judge asks for, or reads the runs that an
// earlier grading kept.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>

#include "lessons/coding/judge.h"

namespace rankscope {

struct CodeGraderOptions {
  CodeBoxesOptions boxes;     ///< Its submission is the folder with the exercise's file.
  double run_timeout_s = 10;  ///< For one run.
  int most_starts = 5;        ///< A program that ends its boxes more often is given up.
  /// Seed of the inputs; if unset, one that nobody knows, or a program could compute what other ranks were given.
  std::optional<std::uint64_t> seed;
  std::filesystem::path
      traces;  ///< Folder for the first run that breaks a rule; empty if none is kept.
  std::filesystem::path
      keep;  ///< Folder for the traces of all runs (kept_runs.h); empty if they are not kept.
  std::function<void(int done, int all)> on_progress;
  /// Boxes that many programs share one after another, with the exercise's file in their submission. The program's text
  /// is not looked at, and only quick_cases() are run. Null: boxes of its own, and all cases.
  CodeBoxes* shared = nullptr;
};

/// The grade as text, which ends in a line break.
std::string grade_text(const CodingExercise& exercise, const CodeGrade& grade);

/// Runs and grades a program. Never throws for what it does. Throws UserError when no box can be had.
CodeGrade grade_code(const CodingExercise& exercise, const CodeGraderOptions& options);

/// Returns false if a second grading could differ; such a grade is not kept. A limit that a program reached by itself is
/// reached again, and so is one that it reached on a quiet machine.
bool is_repeatable(const CodeGrade& grade, bool quiet);

struct FairGrade {
  CodeGrade grade;
  bool quiet = false;  ///< Nothing else ran beside it.
  std::string unsure;  ///< Why it may come out otherwise on a quiet machine; empty if it may not.
};

/// Grades a program, and once more, alone and with more time, if other programs may have made it late. All callers share
/// `running`.
FairGrade grade_fairly(const CodingExercise& exercise, CodeGraderOptions options,
                       std::shared_mutex& running);

/// The grade that follows from a folder of kept runs; nothing is run. Throws UserError when the folder has none, or not
/// all that the exercise asks for.
CodeGrade grade_kept(const CodingExercise& exercise, const std::filesystem::path& folder);

}  // namespace rankscope
