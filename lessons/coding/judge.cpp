// Judges a program's runs case by case, and asks for the further runs that a case needs.
#include "lessons/coding/judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/findings/findings.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/coding/near_results.h"
#include "lessons/coding/result_parts.h"
#include "lessons/coding/results.h"
#include "lessons/coding/run_end.h"

namespace rankscope {
namespace {

constexpr double kLate = 300'000;  // delay of a late rank before each message, in microseconds
constexpr int kMostTracedRuns =
    4;  // traceable runs: a fault may show only with some types or sizes
constexpr int kMostAltered =
    3;  // runs with altered messages, at cases that a program cannot predict
// Stop retrying after this many runs that fail even with a small mistake overlooked.
constexpr int kMostFailedOverlooks = 2;

// Each rank that printed anything has its share of the lines.
std::string printed_lines_of(const std::vector<capi::AgentReport>& ranks) {
  constexpr std::size_t kMostLines = 50, kLongest = 200;
  std::vector<std::pair<std::size_t, std::string>> texts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (const auto* printed = result_called(ranks[rank], "stdout"))
      if (std::string text = text_in(*printed); !text.empty())
        texts.emplace_back(rank, std::move(text));
  std::string out;
  for (const auto& [rank, text] : texts) {
    const auto lines = lines_of(text);
    const std::size_t most = std::max<std::size_t>(kMostLines / texts.size(), 1);
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i)
      out +=
          fmt::format("rank {}: {}\n", rank, shortened(printable(std::string(lines[i])), kLongest));
    if (lines.size() > most)
      out += fmt::format("rank {}: and {} more lines\n", rank, grouped(lines.size() - most));
  }
  return out;
}

class ProgramJudge {
 public:
  ProgramJudge(const CodingExercise& exercise, const ProgramFacts& facts, GradingRuns& runs)
      : exercise_(exercise),
        facts_(facts),
        cases_(graded_cases(exercise, facts)),
        runs_(runs),
        random_(facts.seed) {
    out_.seed = facts.seed;
    out_.diagnostics = facts.diagnostics;
    out_.compiler_ended_by = facts.compiler_ended_by;
  }

  CodeGrade judge(const std::function<void(int, int)>& on_progress) {
    if (out_.diagnostics.empty()) run_all(on_progress);
    take_back_right_results();
    out_.verdict = grade_rules(exercise_, out_.runs);
    find_faulty_run();
    find_printed();
    return std::move(out_);
  }

 private:
  CaseRun described(const CodeCase& one) const {
    CaseRun out;
    static_cast<GradedCase&>(out) = graded_case(exercise_, one);
    out.evidence.agent_only = true;
    out.text = facts_.text;
    return out;
  }

  CaseRun judged(const CodeCase& one, const CodeRun& run) {
    CaseRun out = described(one);
    out.trace = run.trace;
    out.evidence.first_places = first_places({exercise_, one, run.ranks});
    out.status = status_of(run);
    out.slept = run.slept;
    if (out.status != CaseRun::Status::ended) {
      out.failure = failure_of(run);
      out.cause = cause_of(run);
      out.error_class = error_class_of(run);
      if (run.left_behind) out.forbidden = out.failure;
      out.right_ranks = share_of_right_ranks({exercise_, one, run.ranks});
      return out;
    }
    static_cast<CodeFaults&>(out) = judge_results({exercise_, one, run.ranks});
    if (out.numbers && !explained_ && exercise_.call.collective &&
        (one.ranks > 1 || traced_runs_ == 0))
      if (const auto words = explained(one); !words.empty()) {
        out.values = words;
        out.explains_values = true;
      }
    // The result is right only by luck: with another order of messages it could differ.
    if (out.values.empty() && run.trace)
      for (const Finding& one_fault : run.trace->findings())
        if (one_fault.severity != Finding::Severity::hint && out.values.empty() &&
            !(one.buffered && one_fault.kind == Finding::Kind::needs_buffering)) {
          out.values = one_fault.what;
          out.finding = info(one_fault.kind).name;
          out.near_values = kOfOneSlip;
        }
    if (!out.values.empty()) {
      const auto late = unwaited(run);
      if (!late.empty()) out.near_values = kOfOneSlip;
      out.values += late;
      out.empty_messages = explain_empty_messages({exercise_, one, run.ranks});
      if (!out.empty_messages.empty()) out.near_values = 0;
      else if (run.trace) weigh_source({exercise_, one, run.ranks}, *run.trace, out);
    }
    if (!has_rule(CodingRule::Judge::argument) && out.values.empty() && !out.argument.empty()) {
      out.values = out.argument;
      out.near_values = kOfOneSlip;
    }
    return out;
  }

  bool has_rule(CodingRule::Judge judge) const {
    return ranges::count(exercise_.rules, judge, &CodingRule::judge) > 0;
  }

  /// Returns whether a further run can be judged; records why if not (interrupted, or its files were rejected).
  bool is_whole(const GradingRun& run) {
    if (run.result.status == JobResult::Status::interrupted) out_.interrupted = true;
    if (run.refused) note_trouble(run);
    return !run.refused && run.result.status != JobResult::Status::interrupted;
  }

  // A program that deadlocks only because sends wait for their receives fails the rule on deadlocks, but no other.
  void retry_buffered(CodeCase& one, GradingRun& run) {
    CaseRun& last = out_.runs.back();
    if (last.status != CaseRun::Status::deadlock || !has_rule(CodingRule::Judge::ends)) return;
    one.buffered = true;
    GradingRun other = this->run(one);
    if (!is_whole(other)) return;
    CaseRun seen = judged(one, other);
    if (seen.status != CaseRun::Status::ended) return;
    seen.blocked = last.failure;
    last = std::move(seen);
    run = std::move(other);
    recorded_.back() = recorded(run);
  }

  // A program that breaks off by one small mistake (a message to oneself, tags that differ, a view with gaps) is run once
  // more with that mistake overlooked, and keeps the points for the rest. The run to look at stays the one that broke off.
  void retry_overlooking(CodeCase one, const CodeRun& run) {
    CaseRun& last = out_.runs.back();
    if (facts_.cpp || failed_overlooks_ >= kMostFailedOverlooks || out_.interrupted ||
        run.boxes_ended || !may_be_slip(run))
      return;
    one.buffered = one.overlooking = true;
    const GradingRun other = this->run(one);
    if (!is_whole(other)) return;
    CaseRun seen = judged(one, other);
    if (seen.status != CaseRun::Status::ended) return void(++failed_overlooks_);
    seen.overlooked = why_not_ended(last);
    seen.broke_off = last.status;
    seen.near_values = seen.values.empty() ? kOfOneSlip : std::min(kOfOneSlip, seen.near_values);
    seen.values = seen.overlooked;
    last = std::move(seen);
  }

  // A receive from anybody may be right for one order of arrival only. In another run the first sender comes last; if the
  // result is wrong then, that run counts. The ranks move one at a time there, so that a busy machine changes nothing; only
  // a rank that computes for too long is delayed by the clock.
  void retry_in_other_order(CodeCase one, const GradingRun& run) {
    CaseRun& last = out_.runs.back();
    if (last.status != CaseRun::Status::ended || !last.values.empty()) return;
    const auto first = came_first(run);
    if (!first) return;
    one.delays_us.clear();
    GradingRun other = this->run(one, first);
    if (!other.exact) {
      one.delays_us.assign(static_cast<std::size_t>(one.ranks), 0);
      one.delays_us[static_cast<std::size_t>(*first)] =
          delay_us(run, *first, kLate, facts_.run_timeout_s);
      other = this->run(one);
    }
    if (!is_whole(other)) return;
    CaseRun seen = judged(one, other);
    if (seen.status == CaseRun::Status::timeout) return;  // our delay may have caused it
    seen.blocked = last.blocked;
    if (seen.status == CaseRun::Status::ended && seen.values.empty()) return;
    note_trouble(other);
    last = std::move(seen);
    recorded_.back() = recorded(other);
  }

  // A result that stays right when every message is altered did not come from the messages. Two such runs are required;
  // then all runs lose their points.
  void with_altered_messages(CodeCase one) {
    const CaseRun& last = out_.runs.back();
    if (!exercise_.call.collective || altered_runs_ >= kMostAltered || one.ranks < 2 ||
        one.shape.count() == 0 || last.status != CaseRun::Status::ended ||
        (!last.values.empty() && last.near_values <= 0) || until_altered_-- > 0)
      return;
    one.altered = true;
    const GradingRun other = this->run(one);
    if (!is_whole(other)) return;
    ++altered_runs_;
    const bool right = status_of(other) == CaseRun::Status::ended &&
                       judge_results({exercise_, one, other.ranks}).values.empty();
    if (right) ++right_when_altered_;
    // If this one was right, alter the next case too; otherwise wait a random number of cases, at most half of them.
    until_altered_ = right ? 0 : static_cast<int>(random_.below(cases_.size() / 2 + 1));
  }

  void take_back_right_results() {
    if (right_when_altered_ < 2) return;
    for (CaseRun& run : out_.runs) {
      if (run.ranks < 2) continue;
      run.empty_messages =
          "the result does not come from the messages: it was the same when all of them arrived "
          "with other contents";
      if (run.values.empty()) run.values = run.empty_messages;
      run.near_values = run.right_ranks = 0;
    }
  }

  // Reruns the case with inputs that identify their rank, to explain wrong numbers.
  std::string explained(const CodeCase& one) {
    CodeCase traced = one;
    traced.traceable = true;
    traced.dtype = DType::float64;
    ++traced_runs_;
    const CodeRun run = this->run(traced);
    if (!run.result.ok() || run.boxes_ended) return {};
    auto words = explain_results({exercise_, traced, run.ranks});
    explained_ = (!words.empty() && one.ranks > 1) || traced_runs_ >= kMostTracedRuns;
    return words;
  }

  GradingRun run(const CodeCase& one, std::optional<Rank> late = std::nullopt) {
    GradingRun out = next({one, timeout_s(), late});
    if (some_ended_ && too_long_.empty() && !late &&
        out.result.status == JobResult::Status::timeout && !out.slept)
      out = next({one, timeout_s(), late});  // one timeout may be the machine's fault
    out.trouble = printable(out.trouble);
    return out;
  }

  GradingRun next(const WantedRun& wanted) {
    ++asked_;
    GradingRun out = runs_.next(wanted);
    if (!out.refused) starts_ = out.starts;
    return out;
  }

  // After one timeout, later runs get a quarter of the limit, unless the program has ended a run of several ranks.
  double timeout_s() const {
    return facts_.run_timeout_s / (too_long_.empty() || some_ended_ ? 1 : 4);
  }
  /// Returns whether a run of as many ranks took too long, or two others did and none has ended.
  bool takes_too_long(const CodeCase& one) const {
    return (too_long_.size() > 1 && !some_ended_) || ranges::count(too_long_, one.ranks) > 0;
  }

  bool ended_boxes(const CodeCase& one) const { return ranges::count(ended_boxes_, one.ranks) > 0; }

  void not_run(const CodeCase& one) {
    CaseRun run = described(one);
    run.status = CaseRun::Status::failed;
    run.failure = out_.trouble;
    run.cause = out_.trouble_cause;
    run.left_out = ended_boxes(one);
    if (run.failure.empty()) {
      run.failure = "not run: grading of this exercise stopped after earlier runs";
      run.cause = Cause::own;
    }
    const auto late = ranges::find(out_.runs, CaseRun::Status::timeout, &CaseRun::status);
    if (takes_too_long(one) && late != out_.runs.end()) {
      run.status = CaseRun::Status::timeout;
      run.failure = late->failure;
      run.cause = late->cause;
      run.slept = late->slept;
    }
    out_.runs.push_back(std::move(run));
    recorded_.emplace_back();
  }

  void note_trouble(const GradingRun& run) {
    if (!out_.trouble.empty()) return;
    out_.trouble = run.trouble;
    out_.trouble_cause = run.trouble_cause;
  }

  void run_all(const std::function<void(int, int)>& on_progress) {
    int done = 0;
    bool refused = false;
    for (CodeCase one : cases_) {
      if (on_progress) on_progress(done++, static_cast<int>(cases_.size()));
      if (starts_ > facts_.most_starts || out_.interrupted || refused || takes_too_long(one) ||
          ended_boxes(one)) {
        not_run(one);
        continue;
      }
      GradingRun run = this->run(one);
      note_trouble(run);
      refused = run.refused;
      if (refused) {
        not_run(one);
        continue;
      }
      if (run.result.status == JobResult::Status::interrupted) out_.interrupted = true;
      if (run.boxes_ended) ended_boxes_.push_back(one.ranks);
      out_.runs.push_back(judged(one, run));
      recorded_.push_back(recorded(run));
      some_ended_ =
          some_ended_ || (one.ranks > 1 && out_.runs.back().status == CaseRun::Status::ended);
      if (out_.runs.back().status == CaseRun::Status::timeout) too_long_.push_back(one.ranks);
      retry_buffered(one, run);
      retry_overlooking(one, run);
      retry_in_other_order(one, run);
      if (has_ended(out_.runs.back())) recorded_.back().stopped_at = kNoEvent;
      with_altered_messages(one);
    }
  }

  /// The rule whose first broken run is shown: what takes all points, else a run that did not end, which explains other
  /// rules and is named first, else the first that has a place, else the first.
  const RuleVerdict* rule_to_show() const {
    const RuleVerdict* best = nullptr;
    int best_of = 0;
    for (std::size_t i = 0; i < out_.verdict.rules.size(); ++i) {
      const RuleVerdict& rule = out_.verdict.rules[i];
      const CodingRule& asked = exercise_.rules[i];
      if (asked.remark || rule.state == RuleVerdict::State::kept || rule.broken_in.empty() ||
          !out_.runs.at(rule.first).trace || !recorded_.at(rule.first).trace)
        continue;
      const bool seen = rule.event != kNoEvent || recorded_.at(rule.first).stopped_at != kNoEvent;
      const bool ends = asked.judge == CodingRule::Judge::ends;
      const int worth = asked.required ? 4 : ends ? 3 : seen ? 2 : 1;
      if (worth > best_of) {
        best = &rule;
        best_of = worth;
      }
    }
    return best;
  }

  static bool has_ended(const CaseRun& run) {
    return run.status == CaseRun::Status::ended && run.overlooked.empty();
  }
  /// The event of the recorded run at which the rule is first broken.
  std::uint64_t event_of(const RuleVerdict& rule) const {
    const bool as_judged = out_.runs.at(rule.first).overlooked.empty();
    return as_judged && rule.event != kNoEvent ? rule.event : recorded_.at(rule.first).stopped_at;
  }

  // This trace reports only its own run's faults.
  RunFaults faults_of(std::size_t run) const {
    RunFaults out{exercise_.title, out_.verdict.cases.at(run), {}};
    const Trace& trace = recorded_.at(run).trace->trace();
    for (std::size_t i = 0; i < out_.verdict.rules.size(); ++i) {
      const RuleVerdict& rule = out_.verdict.rules[i];
      if (exercise_.rules[i].remark || rule.state == RuleVerdict::State::kept ||
          rule.broken_in.empty() || rule.first != run)
        continue;
      RunFault fault = fault_at(trace, event_of(rule));
      fault.rule = exercise_.rules[i].says;
      fault.says = rule.says;
      fault.site = rule.site;
      fault.finding = rule.finding;
      // A run that broke off breaks all rules in the same words.
      if (ranges::find(out.faults, fault.says, &RunFault::says) == out.faults.end())
        out.faults.push_back(std::move(fault));
    }
    ranges::stable_sort(out.faults, {}, [](const RunFault& one) { return !one.seq; });
    return out;
  }

  void find_faulty_run() {
    if (out_.verdict.points >= out_.verdict.most) return;
    const RuleVerdict* const rule = rule_to_show();
    if (rule == nullptr) return;
    out_.faulty = {recorded_.at(rule->first).number, out_.runs.at(rule->first).ranks,
                   event_of(*rule), faults_of(rule->first)};
  }

  // The faulty run before others, and several ranks before one.
  void find_printed() {
    std::size_t best = 0;
    int best_of = 0;
    for (std::size_t i = 0; i < recorded_.size(); ++i) {
      if (recorded_[i].printed.empty()) continue;
      const bool faulty = out_.faulty && recorded_[i].number == out_.faulty->number;
      const int worth = faulty ? 3 : out_.runs.at(i).ranks > 1 ? 2 : 1;
      if (worth > best_of) best = i;
      best_of = std::max(best_of, worth);
    }
    if (best_of > 0)
      out_.printed = fmt::format("{}:\n{}", out_.runs.at(best).describe(), recorded_[best].printed);
  }

  /// The recorded run of a case: the original one, even if a rerun with a mistake overlooked was judged.
  struct Recorded {
    std::size_t number = 0;  ///< Among those asked for.
    std::optional<TraceAnalysis> trace = {};
    std::uint64_t stopped_at = kNoEvent;  ///< Where it stood, if it did not end well.
    std::string printed = {};
  };
  Recorded recorded(const GradingRun& run) const {
    return {asked_ - 1, run.trace, stopped_at(run), printed_lines_of(run.ranks)};
  }

  const CodingExercise& exercise_;
  const ProgramFacts& facts_;
  const std::vector<CodeCase> cases_;
  GradingRuns& runs_;
  std::size_t asked_ = 0;
  std::vector<Recorded> recorded_;  ///< By case.
  CodeGrade out_;
  bool explained_ = false;  ///< Set once a fault has been explained, as only one is shown.
  int traced_runs_ = 0, failed_overlooks_ = 0;
  RandomNumbers random_;
  int altered_runs_ = 0, right_when_altered_ = 0;
  int until_altered_ = 0;         ///< Right runs before the next one with altered messages.
  int starts_ = 0;                ///< How often the program's boxes were started so far.
  std::vector<int> too_long_;     ///< World sizes whose run timed out.
  std::vector<int> ended_boxes_;  ///< World sizes whose run killed its sandbox.
  bool some_ended_ = false;
};

}  // namespace

std::vector<CodeCase> graded_cases(const CodingExercise& exercise, const ProgramFacts& facts) {
  auto all = cases_of(exercise, facts.seed, facts.cpp);
  return facts.quick ? quick_cases(all) : all;
}

CodeGrade judge_program(const CodingExercise& exercise, const ProgramFacts& facts,
                        GradingRuns& runs, const std::function<void(int, int)>& on_progress) {
  return ProgramJudge(exercise, facts, runs).judge(on_progress);
}

}  // namespace rankscope
