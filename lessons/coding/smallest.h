// The smallest run in which a program for a code exercise still fails in the way that its grade names first, and one
// question about it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/analysis/results/data_flow.h"
#include "engine/explore/explore.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/grader.h"

namespace rankscope {

struct SmallestOptions {
  CodeBoxesOptions boxes;  ///< Its submission is the folder with the exercise's file.
  int most_runs = 60;
  double most_seconds = 30;
  double run_timeout_s = 2;  ///< For one run.
};

/// The smallest failing run that was made.
struct SmallestRun {
  CodeCase one;
  explore::RunFailure failure;
  std::string rule;  ///< The broken rule's words, if the exercise's rule is about messages.
  std::uint64_t event = kNoEvent;  ///< The place in the trace.
  std::optional<TraceAnalysis> trace;
  std::vector<EventBatch> events;  ///< The trace's, for a file.
  TraceMeta meta;
  std::vector<RankResult> results;
  std::optional<DataFlow> flow;  ///< For a collective whose inputs were numbered.
  std::vector<std::string>
      order;     ///< Events that come in another order than by default, a sentence each.
  int runs = 0;  ///< The number of runs that were tried.
};

/// Tries fewer ranks, then fewer elements, then plainer arguments (no gaps, root 0, the first type), then the order in which
/// every rank goes on as soon as it can; where that order is right, orders from seeds. Each candidate is run in the box, and
/// the smallest that fails in the same way is kept. Shapes are those that the exercise asks for, with smaller factors.
/// Returns nothing when there is no run to look at (the text is wrong, it cannot be compiled, all is right), when none fails
/// again, or when interrupted. Throws UserError when no box can be had.
std::optional<SmallestRun> find_smallest_run(const CodingExercise& exercise, const CodeGrade& grade,
                                             const SmallestOptions& options);

/// One thing to be answered by ranks.
struct RunQuestionPart {
  std::string asks;
  std::string form;                       ///< "a rank", "FROM TO": what is to be typed.
  std::vector<std::vector<int>> answers;  ///< Each is right.
  bool pairs = false;                     ///< An answer is pairs in any order, not ranks in order.
};
struct RunQuestion {
  std::vector<RunQuestionPart> parts;
  std::string explains;  ///< The answer, and what the trace shows.
};
/// Computed from the run's trace; `right`, where it is not null, is a run of a right program of the same algorithm on as many
/// ranks and elements. Nothing: the run shows no more than its words say.
std::optional<RunQuestion> ask_about(const SmallestRun& smallest, const TraceAnalysis* right);
/// A run of ours of the algorithm that the exercise's rules name; nothing: they name none.
std::optional<TraceAnalysis> right_run(const CodingExercise& exercise, const CodeCase& one);
/// Judges an answer by the numbers in it: "1", "rank 1 -> 2", "0>1, 1>0".
bool is_right(const RunQuestionPart& part, std::string_view answer);

/// The run for a person to read: its messages round by round with what they hold, where ranks stand that wait, and, with
/// `end`, what the ranks end with. Ends in a line break.
std::string smallest_text(const CodingExercise& exercise, const SmallestRun& smallest, bool end);
/// {"case", "failure", "words", "runs", "text", "text_with_end", "question": {"parts": [{"asks", "form", "answers", "pairs"}],
/// "explains"}}; without a question where there is none.
nlohmann::json to_json(const CodingExercise& exercise, const SmallestRun& smallest,
                       const std::optional<RunQuestion>& question);
/// Writes its trace, with the submission's sources and what is wrong, as FOLDER/EXERCISE-smallest.rankscope.
std::filesystem::path keep_smallest_run(const CodingExercise& exercise, const SmallestRun& smallest,
                                        const std::filesystem::path& submission,
                                        const std::filesystem::path& folder);

}  // namespace rankscope
