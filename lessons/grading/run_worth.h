// Judges one run by a rule, weighs one that breaks it by what is right in it, and keeps the broken rules in its trace.
#pragma once

#include <optional>
#include <string>

#include "engine/core/trace/trace.h"
#include "lessons/grading/coding_grade.h"

namespace rankscope {

/// The worth of what one slip leaves: values that are nearly right, or a run that broke off by one mistake.
inline constexpr double kOfOneSlip = 0.5;

/// Returns why a run did not end well: "the run broke off: ..."
std::string why_not_ended(const CaseRun& run);

/// Returns whether a program that sends nothing, or too little, breaks the rule.
bool asks_for_messages(const CodingRule& rule);

/// Returns whether a program without right results can keep the rule only by messages, or by its shards.
bool asks_for_work(const CodingRule& rule);

/// Returns whether a message of the program's own arrived in the run.
bool message_arrived(const CaseRun& run);

/// Returns the numbers from which a rule's limits are computed.
CodingNumbers numbers_for(const CaseRun& run);

/// Returns whether a run sends at least half of the messages or bytes that the rule asks for exactly. Unset if the rule
/// asks for no number, or the run does not show it.
std::optional<bool> half_is_sent(const CodingRule& rule, const CaseRun& run);

/// The verdict of one rule on one run.
struct Judged : RuleResult {
  std::string failure = {}, finding = {};  ///< As in RuleVerdict.
};

/// Judges one run by a rule. Returns nothing for a run that the rule is not about, or that does not show it.
std::optional<Judged> judged(const CodingRule& rule, const CaseRun& run);

/// Returns what a run that breaks a rule is worth for it, from 0 to 1. `result` is the rule's verdict on the run; `ended`
/// the worth of the values of runs that ended, 1 if none did.
///
/// A run with empty messages is worth nothing, nor is one that timed out or broke off without a message.
/// A run that ended is worth
/// - for values and shards: how near they are,
/// - for messages: half if they are right as far as they go, as in a schedule without its last step.
/// A run that broke off is worth
/// - for values: the share of ranks with right ones, or after an error at least half of `ended`,
/// - for limits that it kept until then: all,
/// - for other rules on messages: half if it lacks only the end,
/// - for the rule on deadlocks: half, or after a deadlock nothing.
double worth_of(const CodingRule& rule, const CaseRun& run, const RuleResult& result, double ended);

/// Returns an event's rank and number as a fault; empty if the trace lacks it.
RunFault fault_at(const Trace& trace, std::uint64_t event);
/// Returns the fault's event; kNoEvent if it has none, or the trace lacks it.
std::uint64_t event_of(const Trace& trace, const RunFault& fault);

}  // namespace rankscope
