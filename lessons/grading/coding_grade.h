// Grades the runs of a student's program, rule by rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/analysis/rules/rules.h"
#include "engine/core/run/outcome.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// Faults of a program's text, the same in all runs. Empty if there is none; unset if the text was not looked at.
struct TextFaults {
  std::optional<std::string> imports, calls;
};

/// The task of the ranks in one run. Reports, JSON, traces and explorations name it by describe().
struct GradedCase : ExerciseCase {
  std::string detail;  ///< Further arguments: "src = 2, a view with gaps"; may be empty.
  bool drawn = false;  ///< The exercise does not name this number of ranks.
  int buckets = 0;     ///< The number that a list of tensors needs; 0 without a list.
  bool view =
      false;  ///< The argument is a view with gaps, which no assignment asks for: no rule judges it.

  /// Returns "4 ranks, [8], float32, src = 2".
  std::string describe() const;
};

/// The faults of what the ranks handed in, one sentence each; empty where there is none.
struct CodeFaults {
  std::string values, log, argument, shards;
  std::string adds;   ///< Results are no sums, as nothing is added.
  std::string aside;  ///< What is not as the text asks, and costs nothing.
  std::string batches, agree, accuracy, losses;  ///< A training's.
  /// `values` says what happened to the numbers, not only which they are.
  bool explains_values = false;
  /// The values are those of another known algorithm, and the ranks sent messages.
  bool known_way = false;
  bool numbers = false;  ///< `values` is about numbers, which telling inputs can explain.
  std::string
      finding;  ///< The kind of the finding that `values` reports; empty if it reports none.
  /// The right shares of wrong values and of wrong shards, from 0 to 1. One slip leaves values that are nearly right.
  double near_values = 0, near_shards = 0;
  /// Says that the values are those of another collective, as of a reduce instead of an allreduce; empty if not.
  std::string other_collective;
};

/// One judged run of a program. If it did not end well, its CodeFaults do not count.
struct CaseRun : GradedCase, CodeFaults {
  enum class Status : std::uint8_t { ended, failed, deadlock, timeout };
  Status status = Status::ended;
  std::string failure;  ///< Why it did not end well.
  Cause cause = Cause::none;
  std::string
      error_class;  ///< The class of the error that ended it: "NameError"; empty if none is named.
  /// It took too long because it slept, and not because of programs beside it.
  bool slept = false;
  /// If the run ended only because sends did not wait for their receives, why it does not end when they do.
  std::string blocked;
  /// If the run ended only because a mistake was overlooked, how it ends otherwise. Then its values count as wrong.
  std::string overlooked;
  Status broke_off = Status::ended;  ///< The status without overlooking.
  /// It was not run, because another run of as many ranks ended its processes: it shows nothing.
  bool left_out = false;
  /// If the run broke off, the share of the ranks that handed in right values; 0 below one half.
  double right_ranks = 0;
  std::string
      forbidden;  ///< A fault that takes all points, whatever else is right; empty if there is none.
  /// If the values are wrong, why the messages cannot carry the ranks' data. Such a run keeps no rule that asks for
  /// messages.
  std::string empty_messages;
  TextFaults text;
  std::optional<TraceAnalysis> trace;  ///< Unset if nothing was run.
  RuleEvidence evidence;
};
std::string_view to_string(CaseRun::Status status) noexcept;

struct RuleVerdict {
  enum class State : std::uint8_t {
    kept,
    partly,  ///< Broken, but worth a part of its points.
    broken,
    unearned,   ///< Kept, but by a program that does too little for it to mean something.
    not_judged  ///< No run shows it.
  };
  State state = State::not_judged;
  double points = 0, most = 0;
  std::vector<std::size_t> kept_in, broken_in;  ///< Numbers of runs.
  std::vector<double> worth;                    ///< For each of broken_in (run_worth.h).
  bool unsure = false;
  /// The run of broken_in that `says` is about: the first, unless a later one shows a place or explains the values.
  std::size_t first = 0;
  std::string says;  ///< One sentence on the fault, or why the verdict is unsure.
  /// The place of the fault in that run.
  std::uint64_t event = kNoEvent;
  Rank rank = -1;
  std::string site;
  /// The failure of that run which breaks every rule that the run could show: "deadlock", "failed: NameError",
  /// "empty messages". Empty if the rule is broken by itself.
  std::string failure;
  std::string finding;  ///< The kind of the finding that `says` reports; empty if it reports none.
  /// For wrong values, "right with 2, 4 and 8 ranks: powers of two"; empty if with none, or if it depends on other things.
  std::string right_with;
};
std::string_view to_string(RuleVerdict::State state) noexcept;

struct CodingVerdict {
  double points = 0, most = 0;
  double bonus = 0;                ///< On top of the points.
  std::vector<RuleVerdict> rules;  ///< In the order of the exercise's, with its remarks.
  std::vector<std::string>
      remarks;         ///< What gives and costs nothing, as praise for more than is asked.
  std::string capped;  ///< The reason for no points at all; else empty.
  /// The reason for at most kMostOfOtherAlgorithm of the points; else empty.
  std::string other_algorithm;
  std::vector<std::string> cases;  ///< Names of the runs.
};

/// Judges a program by its runs. A partial rule counts by the share of runs that keep it: the mean over the worlds (of
/// more than one rank), in each over types. Other rules count whole or not at all. A run that breaks a rule
/// may be worth a part (worth_of). Partly right results lose, too, 40 % of the points above half (kLostByWrongResult).
///
/// Rules that a program which does nothing would keep, too (upper limits, no deadlock, no built-in), count only if
/// - some run's values are right, near, or those of another known algorithm,
/// - a rule that asks for messages is kept,
/// - or most runs send at least half of what a rule asks for,
/// and never if most runs' messages hold nothing.
///
/// A program gets at most kMostOfOtherAlgorithm of the points if
/// - at least half as many runs show another algorithm as show the one asked for: a run with right values that breaks a
///   defining rule shows another one,
/// - more than half of these runs have values of another collective or, where `values` is defining, none that are near,
/// - or it is right only for the numbers of ranks that the exercise names, or for one of them, and most wrong runs do not
///   send the messages that are asked for.
/// A bonus asks for right results in all runs.
CodingVerdict grade_rules(const CodingExercise& exercise, const std::vector<CaseRun>& runs);

/// Returns the verdict for the student: points, and a line for each rule with the place where it is first broken.
std::string verdict_text(const CodingExercise& exercise, const CodingVerdict& verdict);
/// Returns the rule to look at first, as the other faults may follow from it; null if none is broken.
const RuleVerdict* root_cause(const CodingExercise& exercise, const CodingVerdict& verdict);
/// Returns the verdict for reports: {"points", "most", "bonus", "capped", "other_algorithm", "root_cause", "remarks",
/// "rules": [{"kind", "title", "state", "points", "most", "unsure", "kept", "broken", "says",
/// "first": {"case", "run", "says", "rank", "site", "site_in_says", "event", "failure", "right_with"}}]}.
nlohmann::json to_json(const CodingExercise& exercise, const CodingVerdict& verdict);

}  // namespace rankscope
