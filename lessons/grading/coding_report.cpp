// Writes the verdict on a program as text, and as JSON.
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/ranges.h"
#include "lessons/grading/coding_grade.h"
#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Judge = CodingRule::Judge;
using State = RuleVerdict::State;

/// Whether what a broken rule says names the place already.
bool says_where(const CodingRule& rule) {
  return rule.judge == Judge::trace && rule.rule.kind == Rule::Kind::no_built_in;
}

std::string first_fault(const CodingRule& of, const CodingVerdict& verdict,
                        const RuleVerdict& rule) {
  if (of.of_text()) return rule.says;  // whatever the run
  std::string text = fmt::format("with {}: {}", verdict.cases[rule.first], rule.says);
  if (!rule.site.empty() && !says_where(of)) text += fmt::format(" ({})", rule.site);
  return text;
}

/// A text that cannot be looked at, or was not.
bool left_out(const CodingRule& rule, const RuleVerdict& verdict) {
  return rule.of_text() && verdict.state == State::not_judged;
}

/// What is only said of a program that keeps it.
bool is_extra(const CodingRule& rule) { return rule.remark || rule.bonus; }

bool is_broken(const RuleVerdict& verdict) {
  return !verdict.broken_in.empty() && verdict.state != State::kept;
}

/// `said`: what stands above it already.
std::string line_of(const CodingRule& rule, const RuleVerdict& verdict, const CodingVerdict& all,
                    std::set<std::string>& said) {
  std::string line = fmt::format("{} {}", verdict.state == State::kept ? "+" : "-", rule.says);
  if (rule.points > 0)
    line += fmt::format(" ({} of {})", number_text(verdict.points), number_text(verdict.most));
  switch (verdict.state) {
    case State::broken:
    case State::partly:
      if (!said.insert(verdict.says).second) return line + "\n    for the same reason";
      return fmt::format("{}\n    {}", line, first_fault(rule, all, verdict));
    case State::unearned:
      return line +
             "\n    counts once a run of several ranks has a result that is right, or nearly so";
    case State::not_judged: return line + "\n    no run shows it";
    case State::kept: break;
  }
  return verdict.unsure ? fmt::format("{}\n    as far as it can be seen: {}", line, verdict.says)
                        : line;
}

}  // namespace

const RuleVerdict* root_cause(const CodingExercise& exercise, const CodingVerdict& verdict) {
  const RuleVerdict* found = nullptr;
  // Where a run breaks off, its values and all else are broken in the same words: those are the cause.
  const auto of_values = ranges::find(exercise.rules, Judge::values, &CodingRule::judge);
  const auto at_values = static_cast<std::size_t>(of_values - exercise.rules.begin());
  const auto is_repeated = [&](const RuleVerdict& one) {
    return at_values < verdict.rules.size() && verdict.rules[at_values].says == one.says &&
           ranges::count_if(verdict.rules, [&](const RuleVerdict& other) {
             return is_broken(other) && other.says == one.says;
           }) > 1;
  };
  std::tuple<bool, bool, bool, bool> best;
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i) {
    const CodingRule& rule = exercise.rules[i];
    const RuleVerdict& one = verdict.rules[i];
    if (is_extra(rule) || !is_broken(one)) continue;
    // A failure that several rules report is the cause of all of them; text is wrong whatever the run.
    const std::tuple order(!is_repeated(one), !rule.of_text(), rule.judge != Judge::ends,
                           one.event == kNoEvent);
    if (found != nullptr && order >= best) continue;
    found = &one;
    best = order;
  }
  return found;
}

std::string verdict_text(const CodingExercise& exercise, const CodingVerdict& verdict) {
  std::string text =
      fmt::format("{} of {} points", number_text(verdict.points), number_text(verdict.most));
  if (!verdict.capped.empty())
    text += fmt::format(": what the exercise forbids gets none. {}", verdict.capped);
  else if (!verdict.other_algorithm.empty())
    text += fmt::format(": at most {:g} % where the algorithm is not the one that is asked for: {}",
                        100 * kMostOfOtherAlgorithm, verdict.other_algorithm);
  text += "\n";
  std::set<std::string> said;
  if (verdict.bonus > 0)
    text.insert(text.size() - 1, fmt::format(", and {} on top", points_text(verdict.bonus)));
  int broken = 0;
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i)
    broken += !is_extra(exercise.rules[i]) && is_broken(verdict.rules[i]);
  if (const RuleVerdict* cause = root_cause(exercise, verdict); cause != nullptr && broken > 1) {
    const auto at = static_cast<std::size_t>(cause - verdict.rules.data());
    text += fmt::format("First of all: {}\n", first_fault(exercise.rules[at], verdict, *cause));
    said.insert(cause->says);
  }
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i)
    if (!is_extra(exercise.rules[i]) && !left_out(exercise.rules[i], verdict.rules[i]))
      text += line_of(exercise.rules[i], verdict.rules[i], verdict, said) + "\n";
  for (const std::string& remark : verdict.remarks) text += "* " + remark + "\n";
  return text;
}

json to_json(const CodingExercise& exercise, const CodingVerdict& verdict) {
  json rules = json::array();
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i) {
    const CodingRule& rule = exercise.rules[i];
    const RuleVerdict& one = verdict.rules[i];
    if (is_extra(rule) || left_out(rule, one)) continue;
    json row = {{"kind", rule.kind},
                {"title", rule.says},
                {"state", to_string(one.state)},
                {"points", one.points},
                {"most", one.most},
                {"unsure", one.unsure},
                {"kept", one.kept_in.size()},
                {"broken", one.broken_in.size()}};
    if (!one.broken_in.empty()) {
      row["first"] = {{"case", verdict.cases[one.first]}, {"run", one.first}, {"says", one.says}};
      if (one.rank >= 0) row["first"]["rank"] = one.rank;
      if (!one.site.empty()) {
        row["first"]["site"] = one.site;
        row["first"]["site_in_says"] = says_where(rule);
      }
      if (one.event != kNoEvent) row["first"]["event"] = one.event;
    } else if (one.unsure) {
      row["says"] = one.says;
    }
    rules.push_back(std::move(row));
  }
  json out = {{"points", verdict.points},
              {"most", verdict.most},
              {"remarks", verdict.remarks},
              {"rules", rules}};
  if (!verdict.capped.empty()) out["capped"] = verdict.capped;
  if (verdict.bonus > 0) out["bonus"] = verdict.bonus;
  if (!verdict.other_algorithm.empty()) out["other_algorithm"] = verdict.other_algorithm;
  if (const RuleVerdict* cause = root_cause(exercise, verdict); cause != nullptr)
    out["root_cause"] = cause->says;
  return out;
}

}  // namespace rankscope
