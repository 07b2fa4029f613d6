// Shows the smallest run in which a program fails, with one question before the mistake is named.
#pragma once

#include <optional>

#include "cli/terminal/console.h"
#include "lessons/coding/smallest.h"

namespace rankscope::cli {

/// A smallest run with its question.
struct AskedRun {
  SmallestRun run;
  std::optional<RunQuestion> question;
};
/// Returns nothing when find_smallest_run() does.
std::optional<AskedRun> asked_run(const CodingExercise& exercise, const CodeGrade& grade,
                                  const SmallestOptions& options);

/// Shows the run. With `ask`, reads answers from standard input, judges them, and shows how the run ends (at once after an empty
/// line).
void show_and_ask(const Console& console, const CodingExercise& exercise, const AskedRun& asked,
                  bool ask);

}  // namespace rankscope::cli
