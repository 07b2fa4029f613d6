// Runs a code exercise's program in many orders of its messages: the cases of its grading, judged by results alone.
#pragma once

#include <optional>

#include "engine/explore/explore.h"
#include "lessons/coding/boxes.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/cpp_program.h"

namespace rankscope {

struct CodeExplorerOptions {
  CodeBoxesOptions boxes;     ///< Its submission is the folder with the exercise's file.
  double run_timeout_s = 10;  ///< For one run.
};

class CodeExplorer {
 public:
  /// Throws UserError when no box can be had, or a program in C++ cannot be compiled.
  CodeExplorer(const CodingExercise& exercise, CodeExplorerOptions options);

  /// Settings for an exploration: the cases, and what their platform allows.
  std::vector<int> ranks() const;
  explore::OrderSettings order() const;
  /// The next run has ranks that have run nothing before: what a program keeps from run to run does not decide.
  void restart() { boxes_->forget(); }
  /// Never throws for what the program does.
  explore::Outcome run(std::uint32_t which, explore::InterleavingOrder& order);
  /// "4 ranks, [8], float32"
  std::string name_of(std::uint32_t which) const;

 private:
  const CodingExercise& exercise_;
  CodeExplorerOptions options_;
  std::optional<CppProgram> compiled_;
  std::vector<CodeCase> cases_;
  std::optional<CodeBoxes> boxes_;
};

}  // namespace rankscope
