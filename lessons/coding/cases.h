// The runs by which a code exercise is graded, what each rank is given in them, and whether what came back
// is right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/results/result_words.h"
#include "engine/capi/agent.h"
#include "engine/run/job/job.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// How a case is made.
struct CodeCase : GradedCase {
  Count heads = 0, inner = 0;     ///< Of a Transformer block.
  bool alone = false;             ///< do_send and do_recv are called, not do_send_recv.
  std::vector<double> delays_us;  ///< By rank.
  bool traceable = false;         ///< Inputs that say whose data they are (result_words.h).
  bool counted = false;           ///< Inputs that number every contribution (data_flow.h).
  bool buffered = false;          ///< Sends do not wait for their receives.
  bool overlooking = false;       ///< Small mistakes of messages are overlooked (contract.py).
  bool cpp = false;               ///< The program is one in C++.
  std::uint64_t seed = 1;
};

/// Every world size with every shape, type, source and pair of dimensions in some run; not all together.
/// Arguments of a program in C++ are contiguous.
std::vector<CodeCase> cases_of(const CodingExercise& exercise, std::uint64_t seed,
                               bool cpp = false);

/// Of these, a few of three to five ranks that differ in what else is asked: enough to tell a right program from a faulty
/// one nearly always. Of an exercise without such numbers of ranks, the first ones of several ranks.
std::vector<CodeCase> quick_cases(const std::vector<CodeCase>& all);

/// The case as it is described.
GradedCase graded_case(const CodingExercise& exercise, const CodeCase& one);
/// What the ranks run, for traces and reports.
JobSpec job_of(const CodingExercise& exercise, const CodeCase& one, double timeout_s);
/// For lessons/python/rankscope/contract.py, or lessons/cpp/contract.cpp.
std::vector<capi::AgentTask> tasks_of(const CodingExercise& exercise, const CodeCase& one);

/// What the inputs of a collective become on a rank.
std::vector<double> expected_values(const CodeCase& one, Rank rank);

CodeFaults judge_results(const CodingExercise& exercise, const CodeCase& one,
                         const std::vector<capi::AgentReport>& ranks);
/// Why the messages cannot carry the inputs: each rank sent one number only, again and again, that no rank was given.
/// Empty: they may.
std::string explain_empty_messages(const CodingExercise& exercise, const CodeCase& one,
                                   const std::vector<capi::AgentReport>& ranks);
/// Of a telling run of a collective: what happened to the data, in words; empty: all is right.
std::string explain_results(const CodingExercise& exercise, const CodeCase& one,
                            const std::vector<capi::AgentReport>& ranks);
/// What each rank of a collective's run handed in as its result; without values: nothing, or no numbers.
std::vector<RankResult> rank_results(const CodingExercise& exercise,
                                     const std::vector<capi::AgentReport>& ranks);
/// RuleEvidence::first_places, of what the ranks were given and their first messages.
std::vector<std::optional<Range>> first_places(const CodingExercise& exercise, const CodeCase& one,
                                               const std::vector<capi::AgentReport>& ranks);

}  // namespace rankscope
