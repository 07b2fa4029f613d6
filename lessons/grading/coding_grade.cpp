// Grades a code exercise: verdicts by rule, the cap for another algorithm, and both as text and JSON.
#include "lessons/grading/coding_grade.h"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/ranges.h"
#include "lessons/grading/run_worth.h"
#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

using Judge = CodingRule::Judge;
using State = RuleVerdict::State;
using Status = CaseRun::Status;

/// The share of its points above half that a program with partly right results loses.
constexpr double kLostByWrongResult = 0.4;

/// Returns whether a rule is mentioned only if it is kept.
bool is_extra(const CodingRule& rule) { return rule.remark || rule.bonus; }

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / count; }
};

class Grading {
 public:
  Grading(const CodingExercise& exercise, const std::vector<CaseRun>& runs)
      : exercise_(exercise), runs_(runs) {
    // One rank's result is right without any message, so it counts only if there are no larger worlds.
    several_ = ranges::any_of(runs, [](const CaseRun& run) { return run.ranks > 1; });
    Mean ended;
    for (const CaseRun& run : runs)
      if (tells(run) && run.status == Status::ended)
        ended.add(run.values.empty() ? 1 : run.near_values);
    if (ended.count > 0) ended_ = ended.value();
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
    charge_wrong_results();
    find_other_algorithm();
    add_remarks();
    if (!verdict_.capped.empty()) verdict_.points = 0;
    if (!verdict_.capped.empty() || !verdict_.other_algorithm.empty()) verdict_.bonus = 0;
    return std::move(verdict_);
  }

 private:
  bool tells(const CaseRun& run) const { return (run.ranks > 1 || !several_) && !run.view; }

  RuleVerdict over_runs(const CodingRule& rule) const {
    RuleVerdict out;
    out.most = rule.points;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto result = judged(rule, runs_[i]);
      if (!result) continue;
      (result->kept ? out.kept_in : out.broken_in).push_back(i);
      if (!result->kept) out.worth.push_back(worth_of(rule, runs_[i], *result, ended_));
      out.unsure = out.unsure || result->unsure;
      const bool says_more = runs_[out.first].status != Status::ended && out.event == kNoEvent &&
                             result->event != kNoEvent;
      const bool explains = rule.judge == Judge::values && runs_[i].explains_values &&
                            !runs_[out.first].explains_values;
      const bool teaches = tells(runs_[i]) && !tells(runs_[out.first]);
      const bool first_broken =
          !result->kept && (out.broken_in.size() == 1 || says_more || explains || teaches);
      if (!first_broken && !(out.says.empty() && result->unsure)) continue;
      if (first_broken) out.first = i;
      out.says = result->says;
      out.event = result->event;
      out.rank = result->rank;
      out.site = result->site;
      out.failure = result->failure;
      out.finding = result->finding;
    }
    if (!out.broken_in.empty()) out.state = State::broken;
    else if (!out.kept_in.empty()) out.state = State::kept;
    if (rule.judge == Judge::values && !out.broken_in.empty()) out.right_with = right_worlds(out);
    if (!out.right_with.empty()) out.says += fmt::format(" ({})", out.right_with);
    return out;
  }

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
    return fmt::format("right with {}{}{} ranks{}", fmt::join(right, ", "),
                       right.empty() ? "" : " and ", last,
                       powers && all_powers ? ": powers of two" : " only");
  }

  void find_meaning() {
    // If most runs' messages hold nothing, what is right was guessed.
    const auto ended = [&](const CaseRun& run) {
      return tells(run) && run.status == Status::ended;
    };
    const auto empty = [&](const CaseRun& run) {
      return ended(run) && !run.empty_messages.empty();
    };
    if (2 * ranges::count_if(runs_, empty) > ranges::count_if(runs_, ended)) return;
    for (const CaseRun& run : runs_) {
      if (!tells(run) || !run.empty_messages.empty()) continue;
      if (run.status == Status::ended ? run.values.empty() || run.near_values > 0 || run.known_way
                                      : run.right_ranks > 0 && message_arrived(run))
        meant_ = true;
    }
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      const CodingRule& rule = exercise_.rules[i];
      if (asks_for_messages(rule) && !rule.remark &&
          ranges::any_of(verdict_.rules[i].kept_in,
                         [&](std::size_t run) { return tells(runs_[run]); }))
        meant_ = true;
      meant_ = meant_ || sends_half(rule);
    }
  }

  /// Returns whether most runs of several ranks send at least half of what the rule asks for exactly.
  bool sends_half(const CodingRule& rule) const {
    int surplus = 0;
    for (const CaseRun& run : runs_)
      if (const auto half = tells(run) ? half_is_sent(rule, run) : std::nullopt)
        surplus += *half ? 1 : -1;
    return surplus > 0;
  }

  /// Returns whether a run of an all-to-all cannot tell its two dimensions apart.
  bool proves_little(const CaseRun& run) const {
    const int dims = run.shape.dims();
    return !exercise_.call.dims.empty() && dims > 0 && run.ranks > 1 &&
           (run.scatter_dim - run.gather_dim) % dims == 0;
  }

  /// Returns a rule's worth: the mean over the worlds, in each over types.
  double share(const RuleVerdict& verdict) const {
    std::map<int, std::map<DType, Mean>> worlds;
    bool all_kept = true, elsewhere = true;  // also with numbers of ranks that are not listed
    const auto add = [&](std::size_t at, double worth) {
      const CaseRun& run = runs_[at];
      if (!tells(run)) return;
      if (run.drawn && run.status != Status::timeout) elsewhere = elsewhere && worth > 0;
      if (!run.drawn) worlds[run.ranks][run.dtype].add(worth);
      if (!run.drawn) all_kept = all_kept && worth == 1;
    };
    for (const std::size_t run : verdict.kept_in)
      if (!proves_little(runs_[run])) add(run, 1);
    for (std::size_t i = 0; i < verdict.broken_in.size(); ++i)
      add(verdict.broken_in[i], verdict.worth[i]);
    Mean of_worlds;
    for (const auto& [ranks, cells] : worlds) {
      Mean of_cells;
      for (const auto& [cell, runs] : cells) of_cells.add(runs.value());
      of_worlds.add(of_cells.value());
    }
    // Half, if it is right only for the listed numbers of ranks.
    return elsewhere || !all_kept ? of_worlds.value() : of_worlds.value() / 2;
  }

  // ---- Whether it is the algorithm that is asked for ----

  /// The algorithm that a run shows; a slip has wrong values from the messages that are asked for.
  enum class Shown : std::uint8_t { nothing, as_asked, slip, other_schedule, far_values };

  bool breaks(std::size_t rule, std::size_t run) const {
    const auto& broken_in = verdict_.rules[rule].broken_in;
    return ranges::find(broken_in, run) != broken_in.end();
  }

  bool breaks_a_rule(std::size_t run, bool (*of)(const CodingRule&)) const {
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i)
      if (of(exercise_.rules[i]) && !is_extra(exercise_.rules[i]) && breaks(i, run)) return true;
    return false;
  }

  static bool is_chunk_order(const CodingRule& rule) {
    return rule.judge == Judge::trace && rule.rule.kind == Rule::Kind::chunk_order;
  }

  Shown shown_by(std::size_t run) const {
    const CaseRun& one = runs_[run];
    if (!tells(one) || one.status != Status::ended) return Shown::nothing;
    if (!one.other_collective.empty()) return Shown::far_values;
    // Values that count as wrong for an overlooked mistake do not hide the schedule.
    const bool shows_schedule = one.values.empty() || !one.overlooked.empty();
    Shown out = Shown::nothing;
    bool tells_all = true, some_kept = false;
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      if (!exercise_.defines(exercise_.rules[i])) continue;
      const RuleVerdict& verdict = verdict_.rules[i];
      const bool broken = breaks(i, run);
      const bool kept = ranges::find(verdict.kept_in, run) != verdict.kept_in.end();
      const Judge judge = exercise_.rules[i].judge;
      if (judge == Judge::values || judge == Judge::adds) {
        // Chunks in a wrong order may leave no sums, either.
        const bool far = broken && (judge == Judge::adds ? !breaks_a_rule(run, is_chunk_order)
                                                         : one.near_values == 0);
        if (far) return Shown::far_values;
        if (judge == Judge::values) out = Shown::as_asked;
        continue;
      }
      if (broken && shows_schedule) return Shown::other_schedule;
      tells_all = tells_all && kept;
      some_kept = some_kept || kept;
    }
    if (!shows_schedule) {
      const bool sent =
          some_kept && tells_all && message_arrived(one) && !breaks_a_rule(run, asks_for_messages);
      return out == Shown::nothing && sent ? Shown::slip : out;
    }
    if (some_kept) out = Shown::as_asked;
    // With few ranks algorithms are alike and some rules are not judged: right values do not tell which one it is.
    return tells_all ? out : Shown::nothing;
  }

  void find_other_algorithm() {
    int as_asked = 0, others = 0, far = 0, slips = 0, wrong = 0;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const Shown shown = shown_by(run);
      as_asked += shown == Shown::as_asked;
      others += shown == Shown::other_schedule;
      far += shown == Shown::far_values;
      slips += shown == Shown::slip;
      wrong += asks_for_values(runs_[run]) && tells(runs_[run]) && !is_right(runs_[run]);
    }
    std::string words = slips > 0 && 2 * slips >= wrong ? "" : known_numbers();
    // Some algorithms are alike for every second number of ranks; a slip shows for one shape or so.
    if (2 * others >= as_asked && others > 0) words = other_words();
    else if (far > as_asked + others + slips) words = far_words();
    if (words.empty()) return;
    verdict_.other_algorithm = words;
    verdict_.points = std::min(verdict_.points, kMostOfOtherAlgorithm * verdict_.most);
  }

  static bool is_right(const CaseRun& run) {
    return run.status == Status::ended && run.values.empty();
  }

  /// Returns whether a rule that counts asks for this run's values; other sizes may be worth a bonus only.
  bool asks_for_values(const CaseRun& run) const {
    return ranges::any_of(exercise_.rules, [&](const CodingRule& rule) {
      return rule.judge == Judge::values && !is_extra(rule) && judged(rule, run);
    });
  }

  /// Says that a program knows only the listed numbers of ranks, or one of them; else empty.
  std::string known_numbers() const {
    bool drawn = false, drawn_right = false, alone = true;
    std::map<int, bool> right;  // by number of ranks
    for (const CaseRun& run : runs_) {
      if (!asks_for_values(run)) continue;
      if (run.drawn && run.status != Status::timeout) {
        // A fault with a type that the exercise does not name says nothing about the numbers of ranks.
        if (!is_right(run) && !names_type(run.dtype)) continue;
        drawn = true;
        drawn_right = drawn_right || is_right(run);
      } else if (!run.drawn && run.ranks > 1) {
        right.try_emplace(run.ranks, true);
        right[run.ranks] = right[run.ranks] && is_right(run);
      }
      alone = alone && (run.drawn || run.ranks > 1 || is_right(run));
    }
    if (right.empty()) return {};
    const auto all = ranges::count(right, true, &std::pair<const int, bool>::second);
    if (drawn && !drawn_right && all == std::ssize(right) && alone && !same_slip_everywhere())
      return "it is right only with the numbers of ranks that the exercise names";
    const auto only = ranges::find(right, true, &std::pair<const int, bool>::second);
    if (all != 1 || right.size() < 3 || only == right.begin()) return {};
    // A known slip, a constant in place of N, is right for one N as well, but not on one rank.
    if (!alone && ranges::all_of(runs_, [](const CaseRun& run) {
          return is_right(run) || (run.status == Status::ended && run.near_values > 0);
        }))
      return {};
    return fmt::format("it is right only with {} ranks", only->first);
  }

  bool names_type(DType dtype) const {
    return ranges::any_of(runs_,
                          [&](const CaseRun& run) { return !run.drawn && run.dtype == dtype; });
  }

  /// Returns whether a rule that counts is broken in all listed runs of several ranks, so that other faults may follow.
  bool same_slip_everywhere() const {
    const auto named = [&](std::size_t run) { return !runs_[run].drawn && runs_[run].ranks > 1; };
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      const CodingRule& rule = exercise_.rules[i];
      if (is_extra(rule) || rule.points == 0) continue;
      if (ranges::any_of(verdict_.rules[i].broken_in, named) &&
          ranges::none_of(verdict_.rules[i].kept_in, named))
        return true;
    }
    return false;
  }

  std::string far_words() const {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (!runs_[i].other_collective.empty())
        return fmt::format("with {}: {}", verdict_.cases[i], runs_[i].other_collective);
    return other_words();
  }

  /// Returns the words on the first broken defining rule.
  std::string other_words() const {
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      const RuleVerdict& verdict = verdict_.rules[i];
      if (exercise_.defines(exercise_.rules[i]) && !verdict.broken_in.empty())
        return fmt::format("it does not keep \"{}\": with {}: {}", exercise_.rules[i].says,
                           verdict_.cases[verdict.first], verdict.says);
    }
    return "it is another algorithm";
  }

  /// Returns whether no run breaks a rule on values that counts.
  bool all_right() const {
    for (std::size_t run = 0; run < runs_.size(); ++run)
      if (breaks_a_rule(run, [](const CodingRule& of) { return of.judge == Judge::values; }))
        return false;
    return true;
  }

  void count(const CodingRule& rule, RuleVerdict& verdict) {
    if (rule.required && verdict.state == State::broken && verdict_.capped.empty())
      verdict_.capped = verdict.says;
    // A faster algorithm is worth something only with right results.
    const bool earned = rule.bonus ? all_right() : meant_ || asks_for_work(rule);
    if (verdict.state == State::kept && !earned) verdict.state = State::unearned;
    if (verdict.state == State::kept) {
      verdict.points = verdict.most;
      if (is_extra(rule)) verdict_.remarks.push_back(rule.says);
    } else if (verdict.state == State::broken && rule.partial && !is_extra(rule) && meant_) {
      // Two digits are enough to write.
      const double points = std::round(verdict.most * share(verdict) * 100) / 100;
      if (points > 0) verdict.state = State::partly;
      verdict.points = points;
    }
    (rule.bonus ? verdict_.bonus : verdict_.points) += verdict.points;
  }

  /// Adds what costs nothing: a result that is only returned where the text asks for it in place, and right views.
  void add_remarks() {
    const auto aside = ranges::find_if(
        runs_, [](const CaseRun& run) { return is_right(run) && !run.aside.empty(); });
    if (aside != runs_.end())
      verdict_.remarks.push_back(fmt::format("With {}: {}.", aside->describe(), aside->aside));
    const auto view = ranges::find(runs_, true, &CaseRun::view);
    if (view != runs_.end() && is_right(*view))
      verdict_.remarks.emplace_back("An argument that is a view with gaps is right, too.");
  }

  /// Takes kLostByWrongResult of the points above half from rules on results that are partly kept: other rules, and runs
  /// in which the mistake cannot show, make up half of the points in some exercises, and little in others.
  void charge_wrong_results() {
    double above = kLostByWrongResult * (verdict_.points - verdict_.most / 2);
    for (std::size_t i = 0; i < exercise_.rules.size(); ++i) {
      const CodingRule& rule = exercise_.rules[i];
      RuleVerdict& one = verdict_.rules[i];
      const bool of_results = rule.judge == Judge::values || rule.judge == Judge::ends;
      if (!of_results || is_extra(rule) || one.state != State::partly) continue;
      const double left = std::round(std::max(0.0, one.points - std::max(0.0, above)) * 100) / 100;
      above -= one.points - left;
      verdict_.points -= one.points - left;
      one.points = left;
      if (left == 0) one.state = State::broken;
    }
  }

  const CodingExercise& exercise_;
  const std::vector<CaseRun>& runs_;
  CodingVerdict verdict_;
  bool several_ = false, meant_ = false;
  double ended_ = 1;  ///< The worth of the values of runs that ended.
};

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

namespace {

using nlohmann::json;

/// Returns whether a broken rule's words name the place already.
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

/// Returns whether a rule on the text was not judged.
bool left_out(const CodingRule& rule, const RuleVerdict& verdict) {
  return rule.of_text() && verdict.state == State::not_judged;
}

bool is_broken(const RuleVerdict& verdict) {
  return !verdict.broken_in.empty() && verdict.state != State::kept;
}

/// Returns a rule's line; `said` has the faults above it.
std::string line_of(const CodingRule& rule, const RuleVerdict& verdict, const CodingVerdict& all,
                    std::set<std::string>& said) {
  // A limit that was kept until a run broke off costs nothing.
  const bool whole = verdict.state == State::partly && verdict.points >= verdict.most;
  std::string line =
      fmt::format("{} {}", whole || verdict.state == State::kept ? "+" : "-", rule.says);
  if (rule.points > 0)
    line += fmt::format(" ({} of {})", number_text(verdict.points), number_text(verdict.most));
  switch (verdict.state) {
    case State::broken:
    case State::partly:
      if (whole) return line + "\n    as far as the runs went before they broke off";
      if (!said.insert(verdict.says).second) return line + "\n    for the same reason";
      return fmt::format("{}\n    {}", line, first_fault(rule, all, verdict));
    case State::unearned:
      return line +
             "\n    counts only after a run of several ranks has a right or nearly right result";
    case State::not_judged: return line + "\n    no run shows it";
    case State::kept: break;
  }
  return verdict.unsure ? fmt::format("{}\n    as far as it can be seen: {}", line, verdict.says)
                        : line;
}

}  // namespace

const RuleVerdict* root_cause(const CodingExercise& exercise, const CodingVerdict& verdict) {
  const RuleVerdict* found = nullptr;
  // A run that breaks off breaks its values and all other rules by the same failure, which is the cause.
  const auto of_values = ranges::find(exercise.rules, Judge::values, &CodingRule::judge);
  const auto at_values = static_cast<std::size_t>(of_values - exercise.rules.begin());
  const auto is_repeated = [&](const RuleVerdict& one) {
    return at_values < verdict.rules.size() && !one.failure.empty() &&
           verdict.rules[at_values].failure == one.failure &&
           ranges::count_if(verdict.rules, [&](const RuleVerdict& other) {
             return is_broken(other) && other.failure == one.failure;
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
    text += fmt::format(": a program that does what the exercise forbids gets no points. {}",
                        verdict.capped);
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
    // This is the best clue, even if another rule comes first.
    const auto clue = ranges::find_if(
        verdict.rules, [](const RuleVerdict& one) { return !one.right_with.empty(); });
    if (clue != verdict.rules.end() && &*clue != cause)
      text += fmt::format("  The results are {}.\n", clue->right_with);
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
    const bool closed =
        exercise.closed && rule.judge == Judge::trace && rule.rule.kind != Rule::Kind::no_built_in;
    json row = {{"kind", closed ? "messages" : rule.kind},
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
      if (!one.failure.empty()) row["first"]["failure"] = one.failure;
      if (!one.right_with.empty()) row["first"]["right_with"] = one.right_with;
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
