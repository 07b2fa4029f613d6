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
  CodeBoxesOptions boxes;  ///< `submission` is the folder with the exercise's file.
  int most_runs = 60;
  double most_seconds = 30;
  double run_timeout_s = 2;  ///< For one run.
};

/// The smallest failing run that was found.
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
  /// A sentence for each event that comes in another order than by default.
  std::vector<std::string> order;
  int runs = 0;  ///< The number of runs that were tried.
};

/// Tries fewer ranks, then fewer elements, then plainer arguments (no gaps, root 0, the first type), then the order in which
/// every rank goes on as soon as it can, or, if that order is right, orders from seeds. Runs each candidate in the box, and
/// keeps the smallest that fails in the same way. Shapes are the exercise's, with smaller factors. Returns nothing if there
/// is no failing run (the text is at fault, it cannot be compiled, all is right), if none fails again, or if interrupted.
/// Throws UserError if there are no boxes here.
std::optional<SmallestRun> find_smallest_run(const CodingExercise& exercise, const CodeGrade& grade,
                                             const SmallestOptions& options);

/// A part of a question, answered by ranks.
struct RunQuestionPart {
  std::string asks;
  std::string form;                       ///< The answer's form: "a rank", "FROM TO".
  std::vector<std::vector<int>> answers;  ///< The right answers.
  bool pairs = false;                     ///< An answer is pairs in any order, not ranks in order.
};
struct RunQuestion {
  std::vector<RunQuestionPart> parts;
  std::string explains;  ///< The answer, with the trace's evidence.
};
/// Makes a question from the run's trace; nothing if the run shows no more than its words. `right` may be null, or a right run
/// of the same algorithm with as many ranks and elements.
std::optional<RunQuestion> ask_about(const SmallestRun& smallest, const TraceAnalysis* right);
/// Returns our own run of the algorithm that the exercise's rules name; nothing if they name none.
std::optional<TraceAnalysis> right_run(const CodingExercise& exercise, const CodeCase& one);
/// Judges an answer by the numbers in it: "1", "rank 1 -> 2", "0>1, 1>0".
bool is_right(const RunQuestionPart& part, std::string_view answer);

/// Returns the run as text, with a final line break: its messages and their contents by round, the places of waiting ranks and,
/// with `end`, the ranks' final data.
std::string smallest_text(const CodingExercise& exercise, const SmallestRun& smallest, bool end);
/// Returns {"case", "failure", "words", "runs", "text", "text_with_end", "question": {"parts": [{"asks", "form", "answers",
/// "pairs"}], "explains"}}; "question" only if there is one.
nlohmann::json to_json(const CodingExercise& exercise, const SmallestRun& smallest,
                       const std::optional<RunQuestion>& question);
/// Writes the run's trace, with the submission's sources and the fault, as FOLDER/EXERCISE-smallest.rankscope.
std::filesystem::path keep_smallest_run(const CodingExercise& exercise, const SmallestRun& smallest,
                                        const std::filesystem::path& submission,
                                        const std::filesystem::path& folder);

}  // namespace rankscope
