#include "lessons/coding/grader.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "engine/analysis/findings.h"
#include "engine/core/error.h"
#include "engine/core/trace_file.h"
#include "engine/core/utf8.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/imports.h"
#include "lessons/coding/run_end.h"
#include "lessons/coding_cpp.h"
#include "lessons/expand.h"

namespace rankscope {
namespace {

constexpr int kMostTelling = 4;  // some faults show with some types or sizes only

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
        cases_(cases_of(exercise, seed_, cpp_)) {}
  CodeGrade grade();

 private:
  void run_all();
  CodeRun run(const CodeCase& one);
  CaseRun judged(const CodeCase& one, const CodeRun& run);
  std::string explained(const CodeCase& one);
  void not_run(const CodeCase& one);
  void keep_trace();
  CaseRun described(const CodeCase& one) const;

  const CodingExercise& exercise_;
  const CodeGraderOptions& options_;
  const std::uint64_t seed_;
  const bool cpp_;
  const std::vector<CodeCase> cases_;
  CodeBoxesOptions boxes_options_;
  std::optional<std::string> imports_;  ///< What is wrong with them.
  std::unique_ptr<CodeBoxes> boxes_;
  /// By run: what a file of it is made of.
  struct Recorded {
    std::vector<EventBatch> events;
    TraceMeta meta;
  };
  std::vector<Recorded> recorded_;
  CodeGrade out_;
  bool explained_ = false;  ///< One telling run is enough: it is that fault that is shown.
  int telling_runs_ = 0;
  bool refused_ = false;
};

CaseRun Grading::described(const CodeCase& one) const {
  CaseRun out;
  out.ranks = one.ranks;
  out.shape = one.shape;
  out.dtype = one.dtype;
  out.root = one.root;
  out.target = one.target;
  out.detail = one.detail();
  out.drawn = one.drawn;
  out.agent_only = true;
  out.imports = imports_;
  return out;
}

CaseRun Grading::judged(const CodeCase& one, const CodeRun& run) {
  CaseRun out = described(one);
  out.trace = run.trace.get();
  out.status = status_of(run);
  if (out.status != CaseRun::Status::ended) {
    out.failure = failure_of(run);
    return out;
  }
  CodeFaults faults = judge_results(exercise_, one, run.ranks);
  if (faults.numbers && !explained_ && can_tell(exercise_))
    if (const auto words = explained(one); !words.empty()) {
      faults.values = words;
      out.told = true;
    }
  // Right by luck: another schedule of the same program would give something else.
  if (faults.values.empty() && run.trace)
    for (const Finding& one_fault : findings(*run.trace))
      if (one_fault.severity != Finding::Severity::hint && faults.values.empty())
        faults.values = one_fault.what;
  out.values = faults.values;
  out.log = faults.log;
  out.argument = faults.argument;
  out.shards = faults.shards;
  const bool own_rule = std::ranges::any_of(exercise_.rules, [](const CodingRule& rule) {
    return rule.judge == CodingRule::Judge::argument;
  });
  if (!own_rule && out.values.empty()) out.values = faults.argument;
  return out;
}

// The same case with inputs that say whose they are.
std::string Grading::explained(const CodeCase& one) {
  CodeCase telling = one;
  telling.telling = true;
  telling.dtype = DType::float64;
  ++telling_runs_;
  const CodeRun run = this->run(telling);
  if (!run.result.ok() || run.boxes_ended) return {};
  auto words = explain_results(exercise_, telling, run.ranks);
  explained_ = !words.empty() || telling_runs_ >= kMostTelling;
  return words;
}

CodeRun Grading::run(const CodeCase& one) {
  JobSpec job = job_of(exercise_, one, options_.run_timeout_s);
  if (!cpp_) return boxes_->run(job, tasks_of(exercise_, one));
  job.algorithm = cpp_contract(exercise_)->file;
  return boxes_->run(job, cpp_tasks_of(exercise_, one));
}

void Grading::not_run(const CodeCase& one) {
  CaseRun run = described(one);
  run.status = CaseRun::Status::failed;
  run.failure =
      out_.trouble.empty() ? "the exercise was given up after earlier runs" : out_.trouble;
  out_.runs.push_back(std::move(run));
  recorded_.emplace_back();
}

void Grading::run_all() {
  const int most = std::ranges::max(cases_, {}, &CodeCase::ranks).ranks;
  boxes_ = std::make_unique<CodeBoxes>(boxes_options_, most);
  int done = 0;
  for (const CodeCase& one : cases_) {
    if (options_.on_progress) options_.on_progress(done++, static_cast<int>(cases_.size()));
    if (boxes_->starts() > options_.most_starts || out_.interrupted || refused_) {
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
    run.trouble = printable(run.trouble);
    if (run.trace) out_.kept.push_back(run.trace);
    if (run.result.status == JobResult::Status::interrupted) out_.interrupted = true;
    if (out_.trouble.empty()) out_.trouble = run.trouble;
    out_.runs.push_back(judged(one, run));
    recorded_.push_back(
        {options_.traces.empty() ? std::vector<EventBatch>() : std::move(run.events), run.meta});
  }
  boxes_.reset();
}

// The run that the first broken rule names: it opens in the application at the place.
void Grading::keep_trace() {
  if (options_.traces.empty() || out_.verdict.points >= out_.verdict.most) return;
  for (const RuleVerdict& rule : out_.verdict.rules) {
    if (rule.state == RuleVerdict::State::kept || rule.broken_in.empty()) continue;
    const CaseRun& run = out_.runs.at(rule.first);
    if (run.trace == nullptr) continue;
    std::error_code error;
    std::filesystem::create_directories(options_.traces, error);
    out_.trace = options_.traces / fmt::format("{}-n{}.rankscope", exercise_.id, run.ranks);
    out_.trace_event = rule.event;
    const Recorded& recorded = recorded_.at(rule.first);
    TraceWriter writer(out_.trace, recorded.meta);
    for (EventBatch batch : recorded.events) writer.deliver(std::move(batch));
    writer.close(recorded.meta);
    return;
  }
}

CodeGrade Grading::grade() {
  out_.seed = seed_;
  boxes_options_ = options_.boxes;
  std::optional<CppProgram> program;
  if (cpp_) {
    program.emplace(exercise_, options_.boxes);
    boxes_options_.program = program->binary();
    out_.diagnostics = program->diagnostics();
  } else {
    imports_ = import_fault(exercise_, options_.boxes);
  }
  if (out_.diagnostics.empty()) run_all();
  out_.verdict = grade_rules(exercise_, out_.runs);
  keep_trace();
  return std::move(out_);
}

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
    throw UserError(
        fmt::format("the exercise {} says nothing about how it is graded", exercise.id));
  return Grading(exercise, options).grade();
}

}  // namespace rankscope
