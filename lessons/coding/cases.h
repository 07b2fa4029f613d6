// The runs by which a code exercise is graded: their jobs, and each rank's inputs.
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

/// A case, with everything that determines its inputs and its run.
struct CodeCase : GradedCase {
  Count heads = 0, inner = 0;     ///< A Transformer block's: heads, and width between FC1 and FC2.
  bool alone = false;             ///< do_send and do_recv are called, not do_send_recv.
  std::vector<double> delays_us;  ///< By rank.
  bool traceable = false;         ///< Inputs that say whose data they are (result_words.h).
  bool counted = false;           ///< Inputs that number every contribution (data_flow.h).
  bool buffered = false;          ///< Sends do not wait for their receives.
  bool overlooking = false;       ///< Small mistakes of messages are overlooked (overlooked.py).
  bool altered = false;           ///< Messages arrive with other contents (AgentTask::altered).
  bool cpp = false;               ///< The program is one in C++.
  std::uint64_t seed = 1;
};

/// Returns runs in which each listed world size meets each shape, type, source and pair of dimensions, but not each
/// combination; and a few with a world size that is not listed. Arguments of a program in C++ are contiguous.
std::vector<CodeCase> cases_of(const CodingExercise& exercise, std::uint64_t seed,
                               bool cpp = false);

/// A few of these cases, with three to five ranks and different arguments: enough to tell a right program from a faulty one
/// nearly always. If there are fewer than four, those with two ranks, too; without any, the first ones of each size.
std::vector<CodeCase> quick_cases(const std::vector<CodeCase>& all);

/// Returns the case as reports describe it.
GradedCase graded_case(const CodingExercise& exercise, const CodeCase& one);
/// The job that the ranks run, for traces and reports.
JobSpec job_of(const CodingExercise& exercise, const CodeCase& one, double timeout_s);
/// The ranks' tasks for lessons/python/rankscope/contract.py, or lessons/cpp/contract.cpp.
std::vector<capi::AgentTask> tasks_of(const CodingExercise& exercise, const CodeCase& one);

/// A case of an exercise with the reports of its ranks.
struct CaseReports {
  const capi::AgentReport& of(Rank rank) const { return ranks[static_cast<std::size_t>(rank)]; }

  const CodingExercise& exercise;
  const CodeCase& one;
  const std::vector<capi::AgentReport>& ranks;
};

/// Says why the messages cannot carry the inputs: all numbers that a rank sent are equal, and no rank was given them.
/// Empty if they may carry them.
std::string explain_empty_messages(const CaseReports& in);
/// RuleEvidence::first_places, from the ranks' inputs and first messages; empty if no rule asks for it.
std::vector<std::optional<Range>> first_places(const CaseReports& in);

}  // namespace rankscope
