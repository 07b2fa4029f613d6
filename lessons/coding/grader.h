// Grades a code exercise: runs the program in boxes, in all its cases, and judges what the agents saw and what
// came back by the exercise's rules.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lessons/coding/boxes.h"
#include "lessons/grading/coding_grade.h"

namespace rankscope {

struct CodeGraderOptions {
  CodeBoxesOptions boxes;     ///< Its submission is the folder with the exercise's file.
  double run_timeout_s = 10;  ///< Of one run.
  int most_starts = 5;        ///< Of boxes: a program that ends them again and again is given up.
  /// Of the inputs. None: one that nobody knows, or a program could compute what other ranks were given.
  std::optional<std::uint64_t> seed;
  std::filesystem::path
      traces;  ///< Folder for the first run that breaks a rule; empty: none is kept.
  std::function<void(int done, int all)> on_progress;
  /// Of many programs one after another: boxes that are there already, with the exercise's file in their submission. The
  /// program's text is not looked at, and only quick_cases() are run. Null: boxes of its own, and all cases.
  CodeBoxes* shared = nullptr;
};

struct CodeGrade {
  CodingVerdict verdict;
  std::vector<CaseRun> runs;
  std::string diagnostics;  ///< What the compiler says of a program that is none; nothing was run.
  std::string trouble;      ///< Why the program was ended from outside; empty: it was not.
  std::filesystem::path trace;  ///< Of the first run that breaks a rule.
  std::uint64_t trace_event = kNoEvent;
  std::uint64_t seed = 0;  ///< With which all of it happens again.
  bool interrupted = false;
};

/// For a person to read. Ends in a line break.
std::string grade_text(const CodingExercise& exercise, const CodeGrade& grade);

/// Never throws for what a program does. Throws UserError when no box can be had.
CodeGrade grade_code(const CodingExercise& exercise, const CodeGraderOptions& options);

}  // namespace rankscope
