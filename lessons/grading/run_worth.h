// What a run that breaks a rule is worth for it: what is right in it otherwise.
#pragma once

#include <string>

#include "lessons/grading/coding_grade.h"

namespace rankscope {

/// Of what one slip leaves: values that are nearly right, a run that broke off by one mistake.
inline constexpr double kOfOneSlip = 0.5;

/// Of a run that did not end well: "the run broke off: ..."
std::string why_not_ended(const CaseRun& run);

/// Whether a program that sends nothing, or too little, breaks the rule.
bool asks_for_messages(const CodingRule& rule);

/// Whether a message of the program's own arrived in the run.
bool message_arrived(const CaseRun& run);

/// From 0 to 1. `result`: what the rule says of the run, which breaks it. `ended`: what the values of those runs are worth
/// that ended, 1 where none did.
///
/// Of a run that ended: how near its values are; half for messages that are right as far as they go, as in a schedule
/// without its last step.
/// Of one that broke off: nothing without a message. Of its values, the share of the ranks that handed in right ones, or
/// half of `ended` where an error ended it; limits that it kept up to there in full, and half of what lacks nothing but its
/// end. Waiting for each other is worth nothing to the rule on that.
double worth_of(const CodingRule& rule, const CaseRun& run, const RuleResult& result, double ended);

}  // namespace rankscope
