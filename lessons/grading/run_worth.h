// Judges one run by a rule, and weighs one that breaks it by what is right in it.
#pragma once

#include <optional>
#include <string>

#include "lessons/grading/coding_grade.h"

namespace rankscope {

/// The worth of what one slip leaves: values that are nearly right, or a run that broke off by one mistake.
inline constexpr double kOfOneSlip = 0.5;

/// Why a run did not end well: "the run broke off: ..."
std::string why_not_ended(const CaseRun& run);

/// Whether a program that sends nothing, or too little, breaks the rule.
bool asks_for_messages(const CodingRule& rule);

/// Whether a program without right results can keep the rule only by work: by messages, or by parts that it keeps.
bool asks_for_work(const CodingRule& rule);

/// Whether a message of the program's own arrived in the run.
bool message_arrived(const CaseRun& run);

/// The numbers that a rule's limits are computed from.
CodingNumbers numbers_for(const CaseRun& run);

/// Whether a run sends at least half of the messages or bytes that the rule asks for exactly. Unset if the rule asks for no
/// number, or the run does not show it.
std::optional<bool> half_is_sent(const CodingRule& rule, const CaseRun& run);

/// The verdict of one rule on one run.
struct Judged : RuleResult {
  std::string failure = {}, finding = {};  ///< As in RuleVerdict.
};

/// Judges one run by a rule. Returns nothing for a run that the rule is not about, or that does not show it.
std::optional<Judged> judged(const CodingRule& rule, const CaseRun& run);

/// Returns what a run that breaks a rule is worth for it, from 0 to 1. `result` is the rule's verdict on the run; `ended` the
/// worth of the values of runs that ended, 1 if none did.
///
/// A run that ended is worth how near its values are, and half for messages that are right as far as they go, as in a
/// schedule without its last step. A run that broke off is worth nothing without a message; else its values the share of
/// ranks with right ones, or half of `ended` if an error ended it; limits that it kept until then count in full, and rules
/// that lack nothing but its end half. A deadlock is worth nothing to the rule on deadlocks.
double worth_of(const CodingRule& rule, const CaseRun& run, const RuleResult& result, double ended);

}  // namespace rankscope
