// Turns the runs of a code exercise into verdicts by rule, and writes them as text and JSON.
#include "lessons/grading/coding_grade.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

using nlohmann::json;
using Judge = CodingRule::Judge;
using State = RuleVerdict::State;
using Status = CaseRun::Status;

CodingNumbers numbers_for(const CaseRun& run) {
  const Count count = run.shape.dims() == 0 ? 1 : run.shape.count();
  return {run.ranks, count, dtype_size(run.dtype)};
}

RuleResult broken(std::string says) {
  RuleResult result;
  result.kept = false;
  result.says = std::move(says);
  return result;
}

std::string why_not_ended(const CaseRun& run) {
  std::string text = run.status == Status::deadlock  ? "the ranks wait for each other"
                     : run.status == Status::timeout ? "the run takes too long"
                                                     : "the run broke off";
  if (!run.failure.empty()) text += ": " + run.failure;
  return text;
}

/// Whether a program that sends nothing, or too little, breaks it.
bool asks_for_messages(const CodingRule& rule) {
  using Kind = Rule::Kind;
  if (rule.judge != Judge::trace) return false;
  constexpr std::array kAsking = {Kind::tree, Kind::xor_partners, Kind::pairs, Kind::once,
                                  Kind::chain};
  return !rule.exactly.empty() || std::ranges::find(kAsking, rule.rule.kind) != kAsking.end();
}

/// What a run that ended is blamed for by a rule of this kind; empty: nothing.
std::string fault_of(Judge judge, const CodeFaults& faults) {
  switch (judge) {
    case Judge::values: return faults.values;
    case Judge::log: return faults.log;
    case Judge::argument: return faults.argument;
    case Judge::shards: return faults.shards;
    case Judge::batches: return faults.batches;
    case Judge::agree: return faults.agree;
    case Judge::accuracy: return faults.accuracy;
    case Judge::ends:
    case Judge::imports:
    case Judge::calls:
    case Judge::trace: break;
  }
  return {};
}

/// Nothing: this run is not one of the rule's, or does not show it.
std::optional<RuleResult> judged(const CodingRule& rule, const CaseRun& run) {
  const auto limits = rule_for(rule, numbers_for(run));
  if (!limits) return std::nullopt;
  const bool ended = run.status == Status::ended;
  if (rule.of_text()) {
    const auto& fault = rule.judge == Judge::imports ? run.text.imports : run.text.calls;
    if (!fault) return std::nullopt;
    return fault->empty() ? RuleResult{} : broken(*fault);
  }
  if (rule.judge != Judge::trace) {
    if (!ended) return broken(why_not_ended(run));
    const std::string wrong = fault_of(rule.judge, run);
    return wrong.empty() ? RuleResult{} : broken(wrong);
  }
  const bool forbids = limits->kind == Rule::Kind::no_built_in;
  if (!run.trace && (ended || forbids)) return std::nullopt;
  if (!run.trace) return broken(why_not_ended(run));
  RuleResult result = check_rule(*run.trace, *limits, run, run.evidence);
  if (ended && result.kept && !run.empty_messages.empty() && asks_for_messages(rule))
    return broken(run.empty_messages);
  // What a run that broke off did wrong is certain; that it did too little, or nothing wrong, is not.
  if (ended || result.event != kNoEvent) return result;
  if (forbids) return std::nullopt;
  return broken(why_not_ended(run));
}

class Grading {
 public:
  Grading(const CodingExercise& exercise, const std::vector<CaseRun>& runs)
      : exercise_(exercise), runs_(runs) {
    // What a single rank has is right without a message, where there are other worlds.
    several_ = std::ranges::any_of(runs, [](const CaseRun& run) { return run.ranks > 1; });
  }

  CodingVerdict grade() {
    verdict_.most = exercise_.points;
    for (const CaseRun& run : runs_) {
      verdict_.cases.push_back(run.describe());
      if (verdict_.capped.empty() && !run.forbidden.empty())
        verdict_.capped = fmt::format("With {}: {}.", run.describe(), run.forbidden);
    }
    for (const CodingRule& rule : exercise_.rules) verdict_.rules.push_back(over_runs(rule));
    find_meaning();
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i)
      count(exercise_.rules[i], verdict_.rules[i]);
    if (!verdict_.capped.empty()) verdict_.points = 0;
    return std::move(verdict_);
  }

 private:
  bool tells(const CaseRun& run) const { return run.ranks > 1 || !several_; }

  RuleVerdict over_runs(const CodingRule& rule) const {
    RuleVerdict out;
    out.most = rule.points;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto result = judged(rule, runs_[i]);
      if (!result) continue;
      (result->kept ? out.kept_in : out.broken_in).push_back(i);
      out.unsure = out.unsure || result->unsure;
      const bool says_more = runs_[out.first].status != Status::ended && out.event == kNoEvent &&
                             result->event != kNoEvent;
      const bool explains = rule.judge == Judge::values && runs_[i].explains_values &&
                            !runs_[out.first].explains_values;
      const bool first_broken =
          !result->kept && (out.broken_in.size() == 1 || says_more || explains);
      if (!first_broken && !(out.says.empty() && result->unsure)) continue;
      if (first_broken) out.first = i;
      out.says = result->says;
      out.event = result->event;
      out.rank = result->rank;
      out.site = result->site;
    }
    if (!out.broken_in.empty()) out.state = State::broken;
    else if (!out.kept_in.empty()) out.state = State::kept;
    if (rule.judge == Judge::values && !out.broken_in.empty()) out.says += right_worlds(out);
    return out;
  }

  /// " (right with 2, 4 and 8 ranks: powers of two)"; empty: with none, or it depends on other things.
  std::string right_worlds(const RuleVerdict& verdict) const {
    std::map<int, std::pair<bool, bool>> worlds;  // some run is right, some is wrong
    for (const std::size_t run : verdict.kept_in)
      if (tells(runs_[run])) worlds[runs_[run].ranks].first = true;
    for (const std::size_t run : verdict.broken_in)
      if (tells(runs_[run])) worlds[runs_[run].ranks].second = true;
    std::vector<int> right;
    bool powers = true, all_powers = true;
    for (const auto& [ranks, seen] : worlds) {
      const bool power = (ranks & (ranks - 1)) == 0;
      if (seen.second && seen.first) return {};
      if (seen.first) right.push_back(ranks);
      if (seen.first && !power) powers = false;
      if (seen.second && power) all_powers = false;
    }
    if (right.empty()) return {};
    const std::string last = fmt::format("{}", right.back());
    right.pop_back();
    return fmt::format(" (right with {}{}{} ranks{})", fmt::join(right, ", "),
                       right.empty() ? "" : " and ", last,
                       powers && all_powers ? ": powers of two" : " only");
  }

  void find_meaning() {
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      const CodingRule& rule = exercise_.rules[i];
      const RuleVerdict& verdict = verdict_.rules[i];
      const bool in_traceable =
          std::ranges::any_of(verdict.kept_in, [&](std::size_t run) { return tells(runs_[run]); });
      if (rule.judge == Judge::values && in_traceable) meant_ = true;
      if (asks_for_messages(rule) && !rule.remark && verdict.state == State::kept && in_traceable)
        meant_ = true;
    }
  }

  /// Of the worlds that say something, in how many all runs keep it.
  double share(const RuleVerdict& verdict) const {
    std::map<int, bool> worlds;
    bool elsewhere = true;  // also with a number of ranks that is not on the list
    for (const std::size_t run : verdict.kept_in)
      if (tells(runs_[run]) && !runs_[run].drawn) worlds.try_emplace(runs_[run].ranks, true);
    for (const std::size_t run : verdict.broken_in) {
      if (runs_[run].drawn) elsewhere = false;
      else if (tells(runs_[run])) worlds[runs_[run].ranks] = false;
    }
    const auto kept = std::ranges::count_if(worlds, [](const auto& one) { return one.second; });
    if (worlds.empty()) return 0;
    const double part = static_cast<double>(kept) / static_cast<double>(worlds.size());
    // Right for those numbers of ranks only that are on the list: half.
    return elsewhere || kept < std::ssize(worlds) ? part : part / 2;
  }

  void count(const CodingRule& rule, RuleVerdict& verdict) {
    if (rule.required && verdict.state == State::broken && verdict_.capped.empty())
      verdict_.capped = verdict.says;
    if (verdict.state == State::kept && !meant_ && !asks_for_messages(rule))
      verdict.state = State::unearned;
    if (verdict.state == State::kept) {
      verdict.points = verdict.most;
      if (rule.remark) verdict_.remarks.push_back(rule.says);
    } else if (verdict.state == State::broken && rule.partial && share(verdict) > 0) {
      verdict.state = State::partly;
      verdict.points = verdict.most * share(verdict);
    }
    verdict_.points += verdict.points;
  }

  const CodingExercise& exercise_;
  const std::vector<CaseRun>& runs_;
  CodingVerdict verdict_;
  bool several_ = false, meant_ = false;
};

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

std::string line_of(const CodingRule& rule, const RuleVerdict& verdict, const CodingVerdict& all) {
  std::string line = fmt::format("{} {}", verdict.state == State::kept ? "+" : "-", rule.says);
  if (rule.points > 0)
    line += fmt::format(" ({} of {})", number_text(verdict.points), number_text(verdict.most));
  switch (verdict.state) {
    case State::broken:
    case State::partly: return fmt::format("{}\n    {}", line, first_fault(rule, all, verdict));
    case State::unearned:
      return line + "\n    counts once the program does something of what is asked";
    case State::not_judged: return line + "\n    no run shows it";
    case State::kept: break;
  }
  return verdict.unsure ? fmt::format("{}\n    as far as it can be seen: {}", line, verdict.says)
                        : line;
}

}  // namespace

std::string GradedCase::describe() const {
  std::string words = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
  if (shape.dims() > 0)
    words += fmt::format(", {}, {}", shape.to_string(), rankscope::to_string(dtype));
  return detail.empty() ? words : words + ", " + detail;
}

std::string_view to_string(Status status) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"ended", "failed", "deadlock", "timeout"};
  return kNames[static_cast<std::size_t>(status)];
}

std::string_view to_string(State state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"kept", "partly", "broken", "unearned",
                                                      "not judged"};
  return kNames[static_cast<std::size_t>(state)];
}

CodingVerdict grade_rules(const CodingExercise& exercise, const std::vector<CaseRun>& runs) {
  return Grading(exercise, runs).grade();
}

std::string verdict_text(const CodingExercise& exercise, const CodingVerdict& verdict) {
  std::string text =
      fmt::format("{} of {} points", number_text(verdict.points), number_text(verdict.most));
  if (!verdict.capped.empty())
    text += fmt::format(": what the exercise forbids gets none. {}", verdict.capped);
  text += "\n";
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i)
    if (!exercise.rules[i].remark && !left_out(exercise.rules[i], verdict.rules[i]))
      text += line_of(exercise.rules[i], verdict.rules[i], verdict) + "\n";
  for (const std::string& remark : verdict.remarks) text += "* " + remark + "\n";
  return text;
}

json to_json(const CodingExercise& exercise, const CodingVerdict& verdict) {
  json rules = json::array();
  for (std::size_t i = 0; i < verdict.rules.size() && i < exercise.rules.size(); ++i) {
    const CodingRule& rule = exercise.rules[i];
    const RuleVerdict& one = verdict.rules[i];
    if (rule.remark || left_out(rule, one)) continue;
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
  return out;
}

}  // namespace rankscope
