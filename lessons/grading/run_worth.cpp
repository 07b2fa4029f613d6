// Judges single runs by a rule, and weighs those that break it by what is right in them.
#include "lessons/grading/run_worth.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/account/messages.h"
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

RuleResult broken(std::string says) {
  RuleResult result;
  result.kept = false;
  result.says = std::move(says);
  return result;
}

/// Returns the fault of a run that ended, by a rule of this kind; empty if there is none.
std::string fault_of(Judge judge, const CodeFaults& faults) {
  switch (judge) {
    case Judge::values: return faults.values;
    case Judge::log: return faults.log;
    case Judge::argument: return faults.argument;
    case Judge::shards: return faults.shards;
    case Judge::batches: return faults.batches;
    case Judge::agree: return faults.agree;
    case Judge::accuracy: return faults.accuracy;
    case Judge::adds: return faults.adds;
    case Judge::losses: return faults.losses;
    case Judge::ends:
    case Judge::imports:
    case Judge::calls:
    case Judge::trace: break;
  }
  return {};
}

/// Returns RuleVerdict::failure for a run that did not end.
std::string failure_kind(const CaseRun& run) {
  const std::string status(to_string(run.status));
  return run.error_class.empty() ? status : fmt::format("{}: {}", status, run.error_class);
}

Judged broken_off(const CaseRun& run) { return {broken(why_not_ended(run)), failure_kind(run)}; }

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

std::optional<Judged> judged(const CodingRule& rule, const CaseRun& run) {
  const auto limits = rule_for(rule, numbers_for(run));
  if (!limits || run.left_out || run.view) return std::nullopt;
  const bool ended = run.status == Status::ended;
  if (rule.of_text()) {
    const auto& fault = rule.judge == Judge::imports ? run.text.imports : run.text.calls;
    if (!fault) return std::nullopt;
    return fault->empty() ? Judged() : Judged{broken(*fault)};
  }
  if (rule.judge != Judge::trace) {
    if (!ended && rule.judge == Judge::adds) return std::nullopt;  // without a result
    if (!ended) return broken_off(run);
    const bool by_values = rule.judge == Judge::values;
    if (!run.overlooked.empty() && (rule.judge == Judge::ends || by_values))
      return Judged{broken(run.overlooked), std::string(to_string(run.broke_off))};
    if (rule.judge == Judge::ends && !run.blocked.empty())
      return Judged{broken("the ranks wait for each other: " + run.blocked)};
    const std::string wrong = fault_of(rule.judge, run);
    if (wrong.empty()) return Judged();
    return Judged{broken(wrong), {}, by_values ? run.finding : std::string()};
  }
  const bool forbids = limits->kind == Rule::Kind::no_built_in;
  if (!run.trace && (ended || forbids)) return std::nullopt;
  if (!run.trace) return broken_off(run);
  Judged result{check_rule(*run.trace, *limits, run, run.evidence)};
  if (ended && result.kept && !run.empty_messages.empty() && asks_for_messages(rule))
    return Judged{broken(run.empty_messages), "empty messages"};
  // A run that broke off shows for certain what it did wrong, and that it has sent all that is asked for; not that it did
  // too little, or nothing wrong.
  if (ended || result.event != kNoEvent) return result;
  if (result.kept && (forbids || asks_for_messages(rule)) && message_arrived(run)) return result;
  if (forbids) return std::nullopt;
  Judged out = broken_off(run);
  out.begins_right = result.begins_right;
  return out;
}

double worth_of(const CodingRule& rule, const CaseRun& run, const RuleResult& result,
                double ended) {
  if (!run.empty_messages.empty()) return 0;
  return run.status == Status::ended ? worth_of_ended(rule, run, result)
                                     : worth_of_broken_off(rule, run, result, ended);
}

RunFault fault_at(const Trace& trace, std::uint64_t event) {
  RunFault fault;
  if (event >= trace.size()) return fault;
  fault.rank = trace[event].rank;
  fault.seq = trace[event].seq;
  return fault;
}

std::uint64_t event_of(const Trace& trace, const RunFault& fault) {
  if (fault.seq)
    for (std::uint64_t k = 0; k < trace.size(); ++k)
      if (trace[k].rank == fault.rank && trace[k].seq == *fault.seq) return k;
  return kNoEvent;
}

}  // namespace rankscope
