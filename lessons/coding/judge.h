// Judges a program by its runs, and by nothing else: the same runs give the same grade, whether boxes make them now or
// kept traces hold them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lessons/coding/boxes.h"
#include "lessons/coding/cases.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {

/// Facts about a program before its first run.
struct ProgramFacts {
  std::uint64_t seed = 0;  ///< Seed of the inputs; the same seed reproduces the grading.
  bool cpp = false;
  bool quick = false;  ///< Only quick_cases() are run.
  double run_timeout_s = 10;
  int most_starts = 5;  ///< Sandbox starts after which no further cases are run.
  TextFaults text;
  std::string diagnostics;  ///< Compiler errors; if not empty, nothing is run.
  Cause compiler_ended_by = Cause::none;
};

/// A run that a judge asks for.
struct WantedRun {
  CodeCase one;
  double timeout_s = 10;
  std::optional<Rank> late;  ///< The rank whose messages come last (explore::LateRankOrder).
};

/// A run, and how its sandbox behaved.
struct GradingRun : CodeRun {
  bool refused = false;  ///< Nothing was run: `trouble` says why the submission cannot be taken.
  bool exact = true;     ///< The order was fully controlled, so that the run can be reproduced.
  int starts = 0;        ///< How often its boxes had been started when it had ended.
};

/// A program's runs, in the order in which its judge asks for them.
class GradingRuns {
 public:
  virtual ~GradingRuns() = default;
  virtual GradingRun next(const WantedRun& wanted) = 0;
};

/// The run in which a program's faults show first.
struct FaultyRun {
  std::size_t number = 0;  ///< Among the runs that the judge asked for.
  int ranks = 0;
  std::uint64_t event = kNoEvent;
  RunFaults faults;
};

struct CodeGrade {
  CodingVerdict verdict;
  std::vector<CaseRun> runs;
  std::string diagnostics;  ///< Compiler errors; if not empty, nothing was run.
  Cause compiler_ended_by = Cause::none;
  std::string trouble;  ///< Why the program was ended from outside; empty if it was not.
  Cause trouble_cause = Cause::none;
  std::optional<FaultyRun> faulty;  ///< Set if the program does not get all points.
  std::filesystem::path trace;      ///< The file with that run; empty if none was kept.
  std::uint64_t trace_event = kNoEvent;
  std::uint64_t seed = 0;
  bool interrupted = false;
  /// The first lines that the ranks printed in the faulty run, or else in another one, which the first line names; or empty.
  std::string printed;
};

/// The cases that a program is judged by.
std::vector<CodeCase> graded_cases(const CodingExercise& exercise, const ProgramFacts& facts);

/// Throws only what `runs` throws. `on_progress`, which may be empty, is called before each case.
CodeGrade judge_program(const CodingExercise& exercise, const ProgramFacts& facts,
                        GradingRuns& runs,
                        const std::function<void(int done, int all)>& on_progress = {});

}  // namespace rankscope
