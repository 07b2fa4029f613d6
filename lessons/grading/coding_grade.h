// From runs of a student's program to a grade, rule by rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/analysis/rules/rules.h"
#include "engine/core/run/cause.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// What is wrong with a program's text, so the same in all runs; empty: nothing. Nothing at all: not looked at.
struct TextFaults {
  std::optional<std::string> imports, calls;
};

/// What the ranks of one run are asked for. Reports, JSON, traces and explorations name it by describe().
struct GradedCase : ExerciseCase {
  std::string detail;  ///< What else is asked: "src = 2, a view with gaps"; may be empty.
  bool drawn = false;  ///< Of a number of ranks that the exercise does not name.
  int buckets = 0;     ///< That a list of tensors needs; 0: it is none.
  bool view = false;   ///< The argument is a view with gaps.

  /// "4 ranks, [8], float32, src = 2"
  std::string describe() const;
};

/// What is wrong with what the ranks handed in, one sentence each; empty: nothing.
struct CodeFaults {
  std::string values, log, argument, shards;
  std::string adds;                              ///< Of sums: what arrives is not added.
  std::string batches, agree, accuracy, losses;  ///< Of a training.
  /// `values` says what happened to the numbers, not only which they are.
  bool explains_values = false;
  bool numbers = false;  ///< `values` is about numbers, which a telling run can explain.
  /// What is right of wrong values, of wrong shards: 0 to 1. Values that are nearly right are what one slip leaves.
  double near_values = 0, near_shards = 0;
  /// Why the values are those of another collective: of a reduce, where an allreduce is asked for; empty: they are not.
  std::string other_collective;
};

/// One run of a program, as the grader outside of it saw it. Where it did not end well its CodeFaults are not looked at.
struct CaseRun : GradedCase, CodeFaults {
  enum class Status : std::uint8_t { ended, failed, deadlock, timeout };
  Status status = Status::ended;
  std::string failure;  ///< Why it did not end well.
  Cause cause = Cause::none;
  std::string error_class;  ///< Of the error that ended it: "NameError"; empty: none is named.
  /// Of one that took too long: it slept meanwhile, so programs beside it are not why.
  bool slept = false;
  /// Of a run that ended as sends did not wait for their receives: why it does not when they do; empty: it does.
  std::string blocked;
  /// Of a run that ended as one mistake was overlooked: how it ends when it is not; empty: none was. Its values are wrong.
  std::string overlooked;
  Status broke_off = Status::ended;  ///< And in which way.
  bool left_out =
      false;  ///< Not run, as one of as many ranks ended its processes: it says nothing.
  /// Of a run that broke off: the share of the ranks that handed in right values, where it is half or more.
  double right_ranks = 0;
  std::string forbidden;  ///< What takes all points, whatever else is right; empty: nothing.
  /// Of a run whose values are wrong: why its messages cannot carry the ranks' data; empty: they may. It then keeps no
  /// rule that asks for messages.
  std::string empty_messages;
  TextFaults text;
  std::optional<TraceAnalysis> trace;  ///< Nothing: there is none.
  RuleEvidence evidence;
};
std::string_view to_string(CaseRun::Status status) noexcept;

/// What became of one rule, in all runs together.
struct RuleVerdict {
  enum class State : std::uint8_t {
    kept,
    partly,  ///< In some worlds, and it counts in part.
    broken,
    unearned,   ///< Kept, but by a program that does too little for it to mean something.
    not_judged  ///< No run shows it.
  };
  State state = State::not_judged;
  double points = 0, most = 0;
  std::vector<std::size_t> kept_in, broken_in;  ///< Runs.
  std::vector<double> worth;                    ///< Of each of broken_in (run_worth.h).
  bool unsure = false;
  /// Of broken_in, the one that `says` is of: the first; one that shows where before runs that broke off.
  std::size_t first = 0;
  std::string says;  ///< One sentence. Or why it is unsure.
  /// There: for opening the run at the place.
  std::uint64_t event = kNoEvent;
  Rank rank = -1;
  std::string site;
};
std::string_view to_string(RuleVerdict::State state) noexcept;

struct CodingVerdict {
  double points = 0, most = 0;
  double bonus = 0;                  ///< On top of the points.
  std::vector<RuleVerdict> rules;    ///< As the exercise's, remarks too.
  std::vector<std::string> remarks;  ///< What is said of a program that does more than asked.
  std::string capped;                ///< Why there are no points whatever else is right; or empty.
  /// Why there are kMostOfOtherAlgorithm of the points at most; or empty.
  std::string other_algorithm;
  std::vector<std::string> cases;  ///< Names of the runs.
};

/// A rule counts by the share of the runs in which it is kept: the mean over the worlds (of more than one rank), in each
/// over types and layouts; one that is not partial, in all or not at all. Wrong values count in part where they are
/// near; of a run that broke off counts what was right up to there (worth_of). What a program that does nothing keeps, too
/// (limits from above, no deadlock, no built-in), only counts when in some run the values are right or near, or a rule that
/// asks for messages is kept.
///
/// A run with right values that breaks a defining rule shows another algorithm; where `values` itself is defining, so do
/// values that are not near. When a third of the runs that say something show one, the results are those of another
/// collective, or the program knows only the numbers of ranks that the exercise names, or one of them, it gets
/// kMostOfOtherAlgorithm of the points at most.
CodingVerdict grade_rules(const CodingExercise& exercise, const std::vector<CaseRun>& runs);

/// For the student: points, a line for each rule, where it is broken first.
std::string verdict_text(const CodingExercise& exercise, const CodingVerdict& verdict);
/// The rule to look at first: what the other faults may follow from. Null: none is broken.
const RuleVerdict* root_cause(const CodingExercise& exercise, const CodingVerdict& verdict);
/// For reports: {"points", "most", "bonus", "capped", "other_algorithm", "root_cause", "remarks", "rules": [{"kind", "title", "state", "points",
/// "most", "unsure", "kept", "broken", "first": {"case", "run", "says", "rank", "site", "site_in_says", "event"}}]}.
nlohmann::json to_json(const CodingExercise& exercise, const CodingVerdict& verdict);

}  // namespace rankscope
