// Weighs runs that break a rule by what is right in them.
#include "lessons/grading/run_worth.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using Judge = CodingRule::Judge;
using Status = CaseRun::Status;

double worth_of_ended(const CodingRule& rule, const CaseRun& run, const RuleResult& result) {
  if (rule.judge == Judge::values) return run.near_values;
  if (rule.judge == Judge::shards) return run.near_shards;
  if (rule.judge != Judge::trace) return 0;
  const bool lacks_the_rest = asks_for_messages(rule) && !rule.exactly.size() &&
                              result.event == kNoEvent && message_arrived(run);
  return lacks_the_rest || result.begins_right ? kOfOneSlip : 0;
}

double worth_of_broken_off(const CodingRule& rule, const CaseRun& run, const RuleResult& result,
                           double ended) {
  if (run.status == Status::timeout || !message_arrived(run)) return 0;
  const bool failed = run.status == Status::failed;
  if (rule.judge == Judge::ends) return failed ? kOfOneSlip : 0;
  if (rule.judge != Judge::trace)
    return std::max(run.right_ranks, failed ? kOfOneSlip * ended : 0.0);
  if (result.event != kNoEvent) return result.begins_right ? kOfOneSlip : 0;
  return asks_for_messages(rule) ? kOfOneSlip : 1;
}

}  // namespace

std::string why_not_ended(const CaseRun& run) {
  std::string text = run.status == Status::deadlock  ? "the ranks wait for each other"
                     : run.status == Status::timeout ? "the run takes too long"
                                                     : "the run broke off";
  if (!run.failure.empty()) text += ": " + run.failure;
  return text;
}

bool asks_for_messages(const CodingRule& rule) {
  using Kind = Rule::Kind;
  if (rule.judge != Judge::trace) return false;
  constexpr std::array kAsking = {Kind::tree,  Kind::xor_partners,   Kind::pairs,    Kind::once,
                                  Kind::chain, Kind::built_in_calls, Kind::under_way};
  return !rule.exactly.empty() || !rule.at_least.empty() ||
         ranges::find(kAsking, rule.rule.kind) != kAsking.end();
}

CodingNumbers numbers_for(const CaseRun& run) {
  const Count count = run.shape.dims() == 0 ? 1 : run.shape.count();
  return {run.ranks, count, dtype_size(run.dtype), run.parameter, run.buckets};
}

std::optional<bool> half_is_sent(const CodingRule& rule, const CaseRun& run) {
  if (rule.exactly.empty() || rule.judge != Judge::trace || run.left_out ||
      rule.rule.kind == Rule::Kind::built_in_calls)  // which has no least number
    return std::nullopt;
  auto limits = rule_for(rule, numbers_for(run));
  if (!limits || !limits->exactly || !run.trace) return std::nullopt;
  limits->at_least = *limits->exactly / 2;
  limits->exactly.reset();
  return run.empty_messages.empty() && message_arrived(run) &&
         check_rule(*run.trace, *limits, run, run.evidence).kept;
}

bool asks_for_work(const CodingRule& rule) {
  return rule.judge == Judge::shards || asks_for_messages(rule);
}

bool message_arrived(const CaseRun& run) {
  return run.trace && ranges::any_of(run.trace->messages(), [](const MessageRecord& one) {
           return !one.sync && one.received != kNoEvent;
         });
}

double worth_of(const CodingRule& rule, const CaseRun& run, const RuleResult& result,
                double ended) {
  if (!run.empty_messages.empty()) return 0;
  return run.status == Status::ended ? worth_of_ended(rule, run, result)
                                     : worth_of_broken_off(rule, run, result, ended);
}

}  // namespace rankscope
