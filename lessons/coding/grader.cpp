// Runs all cases of a code exercise and grades them rule by rule.
#include "lessons/coding/grader.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "engine/analysis/findings/findings.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"
#include "engine/explore/interleaving_order.h"
#include "engine/explore/late_rank_order.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/near_results.h"
#include "lessons/coding/right_ranks.h"
#include "lessons/coding/run_end.h"
#include "lessons/coding/submitted_sources.h"
#include "lessons/coding/text_rules.h"
#include "lessons/grading/run_faults.h"
#include "lessons/lesson/coding_cpp.h"
#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

constexpr double kLate = 300'000;   // microseconds before each message
constexpr int kMostTracedRuns = 4;  // some faults show with some types or sizes only
constexpr int kMostInVain = 2;      // runs that break off also where small mistakes are overlooked

std::uint64_t secret_seed() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) >> 1;  // as --seed takes it
}

class Grading {
 public:
  Grading(const CodingExercise& exercise, const CodeGraderOptions& options)
      : exercise_(exercise),
        options_(options),
        seed_(options.seed ? *options.seed : secret_seed()),
        cpp_(is_cpp(handed_in(exercise, options.boxes.submission))),
        cases_(options.shared == nullptr ? cases_of(exercise, seed_, cpp_)
                                         : quick_cases(cases_of(exercise, seed_, cpp_))),
        boxes_(options.shared) {}

  CodeGrade grade() {
    out_.seed = seed_;
    boxes_options_ = options_.boxes;
    // The boxes live through many runs: who may take longer in one of them, may take longer in all.
    const double longer = options_.run_timeout_s / CodeGraderOptions().run_timeout_s;
    boxes_options_.limits = options_.boxes.limits.longer(std::max(1.0, longer));
    std::optional<CppProgram> program;
    if (cpp_) {
      program.emplace(exercise_, options_.boxes);
      boxes_options_.program = program->binary();
      out_.diagnostics = program->diagnostics();
      out_.interrupted = program->interrupted();
      text_ = cpp_text_faults(exercise_, options_.boxes.submission / cpp_contract(exercise_)->file);
    } else if (options_.shared == nullptr) {
      text_ = python_text_faults(exercise_, options_.boxes);
    } else {
      text_ = {"", ""};
    }
    if (out_.diagnostics.empty() && !out_.interrupted) run_all();
    out_.verdict = grade_rules(exercise_, out_.runs);
    keep_trace();
    return std::move(out_);
  }

 private:
  CaseRun described(const CodeCase& one) const {
    CaseRun out;
    static_cast<GradedCase&>(out) = graded_case(exercise_, one);
    out.evidence.agent_only = true;
    out.text = text_;
    return out;
  }

  CaseRun judged(const CodeCase& one, const CodeRun& run) {
    CaseRun out = described(one);
    out.trace = run.trace;
    out.evidence.first_places = first_places(exercise_, one, run.ranks);
    out.status = status_of(run);
    out.slept = run.slept;
    if (out.status != CaseRun::Status::ended) {
      out.failure = failure_of(run);
      if (run.left_behind) out.forbidden = out.failure;
      out.right_ranks = share_of_right_ranks(exercise_, one, run.ranks);
      return out;
    }
    static_cast<CodeFaults&>(out) = judge_results(exercise_, one, run.ranks);
    if (out.numbers && !explained_ && exercise_.call.collective)
      if (const auto words = explained(one); !words.empty()) {
        out.values = words;
        out.explains_values = true;
      }
    // Right by luck: another schedule of the same program would give something else.
    if (out.values.empty() && run.trace)
      for (const Finding& one_fault : run.trace->findings())
        if (one_fault.severity != Finding::Severity::hint && out.values.empty() &&
            !(one.buffered && one_fault.kind == Finding::Kind::needs_buffering)) {
          out.values = one_fault.what;
          out.near_values = kOfOneSlip;
        }
    if (!out.values.empty()) {
      const auto late = unwaited(run);
      if (!late.empty()) out.near_values = kOfOneSlip;
      out.values += late;
      out.empty_messages = explain_empty_messages(exercise_, one, run.ranks);
      if (!out.empty_messages.empty()) out.near_values = 0;
      else if (run.trace) weigh_source(exercise_, one, run.ranks, *run.trace, out);
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

  // Whose ranks wait for each other as a send waits for its receive has lost the rule on that, and no other one.
  void in_buffered_mode(CodeCase& one, CodeRun& run) {
    CaseRun& last = out_.runs.back();
    if (last.status != CaseRun::Status::deadlock || !has_rule(CodingRule::Judge::ends)) return;
    one.buffered = true;
    CodeRun other = this->run(one);
    if (other.result.status == JobResult::Status::interrupted) {
      out_.interrupted = true;
      return;
    }
    CaseRun seen = judged(one, other);
    if (seen.status != CaseRun::Status::ended) return;
    seen.blocked = last.failure;
    last = std::move(seen);
    run = std::move(other);
  }

  // A program that breaks off by one small mistake (a message to oneself, tags that differ, a view with gaps) is run once
  // more where that is overlooked. It keeps what it does right otherwise. What is recorded stays the run that broke off.
  void overlook(CodeCase one, const CodeRun& run) {
    CaseRun& last = out_.runs.back();
    if (cpp_ || in_vain_ >= kMostInVain || out_.interrupted || run.boxes_ended || !may_be_slip(run))
      return;
    one.buffered = one.overlooking = true;
    CodeRun other = this->run(one);
    if (other.result.status == JobResult::Status::interrupted) {
      out_.interrupted = true;
      return;
    }
    CaseRun seen = judged(one, other);
    if (seen.status != CaseRun::Status::ended) return void(++in_vain_);
    seen.overlooked = why_not_ended(last);
    seen.broke_off = last.status;
    seen.near_values = seen.values.empty() ? kOfOneSlip : std::min(kOfOneSlip, seen.near_values);
    seen.values = seen.overlooked;
    last = std::move(seen);
  }

  // A right result of a receive from anybody may be so for one order of arrival only: the first sender is the last one
  // in another run, and if the result is wrong then, that is the run that counts. The ranks move one at a time there, so
  // that a busy machine changes nothing; only one that computes for too long is delayed by the clock.
  void in_other_order(CodeCase one, CodeRun& run) {
    CaseRun& last = out_.runs.back();
    if (last.status != CaseRun::Status::ended || !last.values.empty()) return;
    const auto first = came_first(run);
    if (!first) return;
    one.delays_us.clear();
    explore::LateRankOrder late(*first, explore::compute_limit_for(options_.run_timeout_s));
    CodeRun other = this->run(one, &late);
    if (!late.exact()) {
      one.delays_us.assign(static_cast<std::size_t>(one.ranks), 0);
      one.delays_us[static_cast<std::size_t>(*first)] =
          delay_us(run, *first, kLate, options_.run_timeout_s);
      other = this->run(one);
    }
    if (other.result.status == JobResult::Status::interrupted) return void(out_.interrupted = true);
    CaseRun seen = judged(one, other);
    if (seen.status == CaseRun::Status::timeout) return;  // the order is ours
    seen.blocked = last.blocked;
    if (seen.status == CaseRun::Status::ended && seen.values.empty()) return;
    if (out_.trouble.empty()) out_.trouble = other.trouble;
    last = std::move(seen);
    run = std::move(other);
  }

  // The same case with inputs that say whose they are.
  std::string explained(const CodeCase& one) {
    CodeCase traced = one;
    traced.traceable = true;
    traced.dtype = DType::float64;
    ++traced_runs_;
    const CodeRun run = this->run(traced);
    if (!run.result.ok() || run.boxes_ended) return {};
    auto words = explain_results(exercise_, traced, run.ranks);
    explained_ = !words.empty() || traced_runs_ >= kMostTracedRuns;
    return words;
  }

  CodeRun run(const CodeCase& one, RunOrder* order = nullptr) {
    CodeRun out = boxes_->run(job_of(exercise_, one, timeout_s()), tasks_of(exercise_, one), order);
    if (some_ended_ && too_long_.empty() && order == nullptr &&
        out.result.status == JobResult::Status::timeout && !out.slept)  // it may be late once
      out = boxes_->run(job_of(exercise_, one, timeout_s()), tasks_of(exercise_, one));
    out.trouble = printable(out.trouble);
    return out;
  }

  // A loop without end has cost one whole limit. A program some runs of which end has the whole limit each time; that
  // one rank alone ends says nothing of those that wait for others.
  double timeout_s() const {
    return options_.run_timeout_s / (too_long_.empty() || some_ended_ ? 1 : 4);
  }
  /// Whether one of as many ranks took too long, or two of others did, and none has ended.
  bool takes_too_long(const CodeCase& one) const {
    return (too_long_.size() > 1 && !some_ended_) || ranges::count(too_long_, one.ranks) > 0;
  }

  bool ended_boxes(const CodeCase& one) const { return ranges::count(ended_boxes_, one.ranks) > 0; }

  void not_run(const CodeCase& one) {
    CaseRun run = described(one);
    run.status = CaseRun::Status::failed;
    run.failure = out_.trouble;
    run.left_out = ended_boxes(one);
    if (run.failure.empty()) run.failure = "the exercise was given up after earlier runs";
    const auto late = ranges::find(out_.runs, CaseRun::Status::timeout, &CaseRun::status);
    if (takes_too_long(one) && late != out_.runs.end()) {
      run.status = CaseRun::Status::timeout;
      run.failure = late->failure;
      run.slept = late->slept;
    }
    out_.runs.push_back(std::move(run));
    recorded_.emplace_back();
  }

  void run_all() {
    const int most = std::ranges::max(cases_, {}, &CodeCase::ranks).ranks;
    if (boxes_ == nullptr) boxes_ = &own_boxes_.emplace(boxes_options_, most);
    const int starts_before = boxes_->starts();
    int done = 0;
    for (CodeCase one : cases_) {
      if (options_.on_progress) options_.on_progress(done++, static_cast<int>(cases_.size()));
      if (boxes_->starts() > starts_before + options_.most_starts || out_.interrupted || refused_ ||
          takes_too_long(one) || ended_boxes(one)) {
        not_run(one);
        continue;
      }
      CodeRun run;
      try {
        run = this->run(one);
      } catch (const RefusedSubmission& refused) {
        out_.trouble = refused.what();
        refused_ = true;
        not_run(one);
        continue;
      }
      if (run.result.status == JobResult::Status::interrupted) out_.interrupted = true;
      if (out_.trouble.empty()) out_.trouble = run.trouble;
      if (run.boxes_ended) ended_boxes_.push_back(one.ranks);
      out_.runs.push_back(judged(one, run));
      some_ended_ =
          some_ended_ || (one.ranks > 1 && out_.runs.back().status == CaseRun::Status::ended);
      if (out_.runs.back().status == CaseRun::Status::timeout) too_long_.push_back(one.ranks);
      in_buffered_mode(one, run);
      overlook(one, run);
      in_other_order(one, run);
      if (options_.traces.empty()) recorded_.emplace_back();
      else
        recorded_.push_back({std::move(run.events), run.meta, run.trace,
                             has_ended(out_.runs.back()) ? kNoEvent : stopped_at(run)});
    }
    own_boxes_.reset();
  }

  /// The rule whose first broken run is shown: what takes all points, else the first that has a place, else the first.
  const RuleVerdict* rule_to_show() const {
    const RuleVerdict* best = nullptr;
    int best_of = 0;
    for (std::size_t i = 0; i < out_.verdict.rules.size(); ++i) {
      const RuleVerdict& rule = out_.verdict.rules[i];
      const CodingRule& asked = exercise_.rules[i];
      if (asked.remark || rule.state == RuleVerdict::State::kept || rule.broken_in.empty() ||
          !out_.runs.at(rule.first).trace)
        continue;
      const bool seen = rule.event != kNoEvent || recorded_.at(rule.first).stopped_at != kNoEvent;
      const int worth = asked.required ? 3 : seen ? 2 : 1;
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
  /// In the recorded run: where its rule is broken first.
  std::uint64_t event_of(const RuleVerdict& rule) const {
    const bool as_judged = out_.runs.at(rule.first).overlooked.empty();
    return as_judged && rule.event != kNoEvent ? rule.event : recorded_.at(rule.first).stopped_at;
  }

  // What is told of other runs does not belong into this one's trace.
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
      // A run that broke off breaks all rules in the same words.
      if (ranges::find(out.faults, fault.says, &RunFault::says) == out.faults.end())
        out.faults.push_back(std::move(fault));
    }
    ranges::stable_sort(out.faults, {}, [](const RunFault& one) { return !one.seq; });
    return out;
  }

  // It opens in the application at the place.
  void keep_trace() {
    if (options_.traces.empty() || out_.verdict.points >= out_.verdict.most) return;
    const RuleVerdict* const rule = rule_to_show();
    if (rule == nullptr) return;
    const CaseRun& run = out_.runs.at(rule->first);
    const Recorded& recorded = recorded_.at(rule->first);
    std::error_code error;
    std::filesystem::create_directories(options_.traces, error);
    out_.trace = options_.traces / fmt::format("{}-n{}.rankscope", exercise_.id, run.ranks);
    out_.trace_event = event_of(*rule);
    TraceMeta meta = recorded.meta;
    meta.sources = submitted_sources(recorded.trace->trace(), options_.boxes.submission);
    meta.faults = faults_of(rule->first);
    TraceWriter writer(out_.trace, meta);
    for (EventBatch batch : recorded.events) writer.deliver(std::move(batch));
    writer.close(std::move(meta));
  }

  const CodingExercise& exercise_;
  const CodeGraderOptions& options_;
  const std::uint64_t seed_;
  const bool cpp_;
  const std::vector<CodeCase> cases_;
  CodeBoxesOptions boxes_options_;
  TextFaults text_;
  std::optional<CodeBoxes> own_boxes_;
  CodeBoxes* boxes_;
  /// By run: what a file of it is made of.
  struct Recorded {
    std::vector<EventBatch> events;
    TraceMeta meta;
    std::optional<TraceAnalysis> trace;   ///< Not the judged one where a mistake was overlooked.
    std::uint64_t stopped_at = kNoEvent;  ///< Of a run that did not end well: where.
  };
  std::vector<Recorded> recorded_;
  CodeGrade out_;
  bool explained_ = false;  ///< One telling run is enough: it is that fault that is shown.
  int traced_runs_ = 0, in_vain_ = 0;
  std::vector<int> too_long_;     ///< Numbers of ranks of runs that took too long.
  std::vector<int> ended_boxes_;  ///< And of those that ended their processes.
  bool some_ended_ = false, refused_ = false;
};

}  // namespace

std::string grade_text(const CodingExercise& exercise, const CodeGrade& grade) {
  if (!grade.diagnostics.empty())
    return fmt::format("0 of {} points: the program cannot be compiled.\n{}\n",
                       number_text(grade.verdict.most), grade.diagnostics);
  std::string out = verdict_text(exercise, grade.verdict);
  if (!grade.trouble.empty())
    out += fmt::format("\nThe program was ended: {}.\n", escaped(grade.trouble));
  return out;
}

CodeGrade grade_code(const CodingExercise& exercise, const CodeGraderOptions& options) {
  if (!exercise.graded())
    throw UserError("the exercise " + exercise.id + " says nothing about how it is graded");
  return Grading(exercise, options).grade();
}

}  // namespace rankscope
