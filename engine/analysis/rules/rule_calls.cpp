// Rules on built-in collectives (which ones are called, how often, and a rank's work while they are under way), and on
// groups of ranks.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/ranges.h"

namespace rankscope::rules {
namespace {

constexpr std::string_view kCompute =
    "compute";  ///< The phase in which an exercise's compute() works.

std::string calls_text(int count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

std::string should_call(const Rule& rule) {
  if (rule.exactly) return calls_text(static_cast<int>(*rule.exactly));
  if (rule.at_most) return fmt::format("at most {}", calls_text(static_cast<int>(*rule.at_most)));
  return "once or more";
}

bool begins_compute(const Trace& trace, const StepEvent& event) {
  return event.kind == EventKind::phase && event.verb == Verb::phase_begin &&
         definition_name(trace, Definition::Kind::phase, event.phase) == kCompute;
}

/// Reports a rank's first compute() during which too few calls are under way, or that it never computes.
RuleResult check_rank_under_way(const ProgramMessages& facts, const std::vector<BuiltInCall>& calls,
                                const Rule& rule, Rank rank) {
  const Trace& trace = facts.trace;
  int before = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    if (trace[k].rank != rank || !begins_compute(trace, trace[k])) continue;
    const auto under_way = ranges::count_if(calls, [&](const BuiltInCall& call) {
      return call.rank == rank && call.begins < k && (call.ends == kNoEvent || call.ends > k);
    });
    const int expected = rule.all ? before : std::min(before, 1);
    ++before;
    if (under_way >= expected) continue;
    return facts.broken(
        k, fmt::format("while rank {} is in its call {} of compute, {} of its operations {} under "
                       "way, where {}{} {} expected",
                       rank, before, under_way, under_way == 1 ? "is" : "are",
                       rule.all ? "" : "at least ", expected, expected == 1 ? "was" : "were"));
  }
  if (before > 0) return {};
  return facts.broken(fmt::format("rank {} never calls compute", rank));
}

}  // namespace

RuleResult check_built_in_calls(const ProgramMessages& facts, const Rule& rule) {
  const Trace& trace = facts.trace;
  const std::string wanted = rule.allowed.empty() ? "" : rule.allowed.front();
  std::vector<int> counts(
      static_cast<std::size_t>(std::max(facts.asked.ranks, trace.world_size())));
  for (const BuiltInCall& call : built_in_calls(trace)) {
    const std::string name = built_in_name(trace, trace[call.begins]);
    if (ranges::find(rule.allowed, name) == rule.allowed.end())
      return facts.broken(call.begins,
                          fmt::format("rank {} calls the built-in {}, where only {} is allowed",
                                      call.rank, name, fmt::join(rule.allowed, " or ")));
    if (name == wanted) ++counts[static_cast<std::size_t>(call.rank)];
  }
  for (Rank rank = 0; rank < facts.asked.ranks; ++rank) {
    const int count = counts[static_cast<std::size_t>(rank)];
    const bool fits = rule.exactly   ? count == *rule.exactly
                      : rule.at_most ? count > 0 && count <= *rule.at_most
                                     : count > 0;
    if (fits) continue;
    return facts.broken(fmt::format("rank {} {} the built-in {}{}, it should do so {}", rank,
                                    count == 0 ? "never calls" : "calls", wanted,
                                    count == 0 ? "" : " " + calls_text(count), should_call(rule)));
  }
  return {};
}

RuleResult check_under_way(const ProgramMessages& facts, const Rule& rule) {
  const auto calls = built_in_calls(facts.trace);
  for (Rank rank = 0; rank < facts.asked.ranks; ++rank)
    if (RuleResult result = check_rank_under_way(facts, calls, rule, rank); !result.kept)
      return result;
  return {};
}

RuleResult check_groups(const ProgramMessages& facts) {
  const Rank size = facts.asked.parameter;
  if (size < 1) return {};
  for (const Message& m : facts.messages) {
    if (m.from / size == m.to / size || (m.from % size == 0 && m.to % size == 0)) continue;
    return facts.broken(
        m, fmt::format("step {}: rank {} sent to rank {}, which is of another group of {}; between "
                       "groups only leaders do, the lowest rank of each group",
                       m.round, m.from, m.to, size));
  }
  return {};
}

}  // namespace rankscope::rules
