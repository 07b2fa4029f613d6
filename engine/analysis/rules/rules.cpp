// Checks the rules that count sends, messages, rounds and bytes, and dispatches to all other rules.
#include "engine/analysis/rules/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace rules {
namespace {

constexpr std::array<std::string_view, kRuleKinds> kNames = {
    "no_built_in", "messages",     "sends",       "rounds",         "bytes",  "size",
    "ring",        "xor",          "tree",        "star",           "pairs",  "once",
    "chain",       "participants", "chunk_order", "built_in_calls", "groups", "under_way"};

RuleResult check_built_ins(const ProgramMessages& facts, const Rule& rule) {
  for (const Delegation& one : delegations(facts.trace))
    if (ranges::find(rule.allowed, one.name) == rule.allowed.end())
      return facts.broken(one.first, one.text());
  return {};
}

bool over(double value, const Rule& rule) {
  const auto limit = rule.exactly ? rule.exactly : rule.at_most;
  return limit && value > *limit + 1e-9 * std::abs(*limit);
}
/// Returns the index of the first message above the limit of a rule that is broken by too many.
std::size_t first_surplus(const Rule& rule) {
  return static_cast<std::size_t>(std::max(0.0, *(rule.exactly ? rule.exactly : rule.at_most)));
}
bool under(double value, const Rule& rule) {
  const auto limit = rule.exactly ? rule.exactly : rule.at_least;
  return limit && value < *limit - 1e-9 * std::abs(*limit);
}
std::string expected(const Rule& rule) {
  if (rule.at_least) return fmt::format("at least {} were expected", limit_text(*rule.at_least));
  return rule.exactly ? fmt::format("{} {} expected", limit_text(*rule.exactly),
                                    *rule.exactly == 1 ? "was" : "were")
                      : fmt::format("at most {} {} expected", limit_text(rule.at_most.value_or(0)),
                                    rule.at_most == 1 ? "was" : "were");
}

// "rank 0 sent 7 of them"
std::string busiest(const ProgramMessages& facts) {
  const auto most = ranges::max_element(
      facts.sent, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return fmt::format("rank {} sent {} of them", most - facts.sent.begin(), most->size());
}

RuleResult check_messages(const ProgramMessages& facts, const Rule& rule) {
  const std::size_t count = facts.messages.size();
  const auto number = static_cast<double>(count);
  if (under(number, rule))
    return facts.broken(fmt::format("{} {} sent in all, where {}", messages_text(number),
                                    count == 1 ? "was" : "were", expected(rule)));
  if (!over(number, rule)) return {};
  return facts.broken(facts.messages[std::min(first_surplus(rule), count - 1)],
                      fmt::format("{} were sent in all, where {}; {}", messages_text(number),
                                  expected(rule), busiest(facts)));
}

RuleResult check_rounds(const ProgramMessages& facts, const Rule& rule) {
  if (under(facts.rounds, rule))
    return facts.broken(fmt::format("the run takes {} round{}, where {}", facts.rounds,
                                    facts.rounds == 1 ? "" : "s", expected(rule)));
  if (!over(facts.rounds, rule)) return {};
  for (const Message& message : facts.messages)
    if (over(message.round, rule))
      return facts.broken(
          message,
          fmt::format("the run takes {} rounds, where {}: in round {} rank {} sends to "
                      "rank {}",
                      facts.rounds, expected(rule), message.round, message.from, message.to));
  return {};
}

RuleResult check_bytes(const ProgramMessages& facts, const Rule& rule) {
  FirstFault first(facts);
  for (Rank rank = 0; rank < facts.asked.ranks; ++rank) {
    std::uint64_t all = 0, so_far = 0;
    for (const std::size_t m : facts.sent[static_cast<std::size_t>(rank)])
      all += facts.messages[m].bytes;
    const std::string says = fmt::format(
        "rank {} sent {} bytes in {}, where {}", rank, all,
        messages_text(static_cast<double>(facts.sent[static_cast<std::size_t>(rank)].size())),
        expected(rule));
    if (under(static_cast<double>(all), rule)) first.missing(says);
    if (!over(static_cast<double>(all), rule)) continue;
    for (const std::size_t m : facts.sent[static_cast<std::size_t>(rank)]) {
      so_far += facts.messages[m].bytes;
      if (!over(static_cast<double>(so_far), rule)) continue;
      first.add(facts.messages[m].round, facts.messages[m], says);
      break;
    }
  }
  return first.result();
}

RuleResult check_one(const ProgramMessages& facts, const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::messages: return check_messages(facts, rule);
    case Rule::Kind::sends: return check_sends(facts, rule);
    case Rule::Kind::rounds: return check_rounds(facts, rule);
    case Rule::Kind::bytes: return check_bytes(facts, rule);
    case Rule::Kind::size: return check_size(facts, rule);
    case Rule::Kind::ring: return check_ring(facts, rule);
    case Rule::Kind::xor_partners: return check_xor(facts, rule);
    case Rule::Kind::tree: return check_tree(facts, rule);
    case Rule::Kind::chunk_order: return check_chunk_order(facts, rule);
    case Rule::Kind::groups: return check_groups(facts);
    default: return check_peers(facts, rule);
  }
}

RuleResult check(const ProgramMessages& facts, const Rule& rule) {
  if (rule.kind == Rule::Kind::no_built_in) return check_built_ins(facts, rule);
  if (rule.kind == Rule::Kind::built_in_calls) return check_built_in_calls(facts, rule);
  if (rule.kind == Rule::Kind::under_way) return check_under_way(facts, rule);
  const bool none_asked = rule.exactly.value_or(rule.at_most.value_or(1)) == 0;
  if (facts.asked.ranks > 1 && facts.messages.empty() && !none_asked)
    return facts.broken(built_in_calls(facts.trace).empty()
                            ? "no rank sent a message"
                            : "no rank sent a message of its own, outside of the built-ins");
  for (const Message& message : facts.messages)
    if (message.from == message.to && rule.kind != Rule::Kind::bytes &&
        rule.kind != Rule::Kind::size)
      return facts.broken(message, fmt::format("rank {} sent a message to itself", message.from));
  RuleResult result = check_one(facts, rule);
  if (result.kept && facts.gaps) {
    result.unsure = true;
    if (result.says.empty()) result.says = "events of this run were lost";
  }
  return result;
}

}  // namespace

RuleResult check_sends(const ProgramMessages& facts, const Rule& rule) {
  FirstFault first(facts);
  for (Rank rank = 0; rank < facts.asked.ranks; ++rank) {
    const auto& own = facts.sent[static_cast<std::size_t>(rank)];
    const auto count = static_cast<double>(own.size());
    const std::string says =
        fmt::format("rank {} sent {}, where {}", rank, messages_text(count), expected(rule));
    if (under(count, rule)) first.missing(says);
    if (!over(count, rule)) continue;
    const Message& surplus = facts.messages[own[first_surplus(rule)]];
    first.add(surplus.round, surplus, says);
  }
  return first.result();
}

}  // namespace rules

std::string_view to_string(Rule::Kind kind) noexcept {
  return rules::kNames[static_cast<std::size_t>(kind)];
}

std::optional<Rule::Kind> parse_rule_kind(std::string_view name) noexcept {
  const auto at = ranges::find(rules::kNames, name);
  if (at == rules::kNames.end()) return std::nullopt;
  return static_cast<Rule::Kind>(at - rules::kNames.begin());
}

std::vector<std::string> rule_kind_names() { return {rules::kNames.begin(), rules::kNames.end()}; }

RuleResult check_rule(const TraceAnalysis& analysis, const Rule& rule, const ExerciseCase& asked,
                      const RuleEvidence& evidence) {
  return rules::check(rules::ProgramMessages(analysis, rule, asked, evidence), rule);
}

}  // namespace rankscope
