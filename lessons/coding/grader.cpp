// Makes the runs that a program's judge asks for, in boxes.
#include "lessons/coding/grader.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/explore/interleaving.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/kept_runs.h"
#include "lessons/coding/run_end.h"
#include "lessons/coding/text_rules.h"
#include "lessons/lesson/coding.h"
#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

std::uint64_t secret_seed() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) >> 1;  // as --seed takes it
}

class BoxRuns : public GradingRuns {
 public:
  BoxRuns(const CodingExercise& exercise, const CodeGraderOptions& options,
          const ProgramFacts& facts, const std::filesystem::path& binary)
      : exercise_(exercise),
        options_(options),
        facts_(facts),
        binary_(binary),
        keeper_(options.keep, exercise, facts) {}

  GradingRun next(const WantedRun& wanted) override {
    GradingRun out = made(wanted);
    if (out.trace) {  // with its text, a fault's line is found, now and from the kept trace
      const Trace seen = out.trace->trace();
      out.meta.sources = submitted_sources(seen, options_.boxes.submission);
      TraceMeta meta = seen.meta();
      meta.sources = out.meta.sources;
      out.trace.emplace(TraceBuilder::with_meta(seen, std::move(meta)));
    }
    const bool whole = out.result.status != JobResult::Status::interrupted;
    if (whole && !options_.keep.empty()) keeper_.keep(wanted, out);
    if (!options_.traces.empty()) {
      made_.push_back(out);
      tell_first_error(out, made_.back().meta);
    }
    return out;
  }

  /// The runs so far, where the first that breaks a rule is wanted.
  const std::vector<capi::AgentWorldRun>& made() const noexcept { return made_; }

 private:
  GradingRun made(const WantedRun& wanted) try {
    CodeBoxes& boxes = this->boxes();
    const JobSpec job = job_of(exercise_, wanted.one, wanted.timeout_s);
    const auto tasks = tasks_of(exercise_, wanted.one);
    GradingRun out;
    if (wanted.late) {
      explore::LateRankOrder order(*wanted.late, explore::compute_limit_for(facts_.run_timeout_s));
      static_cast<CodeRun&>(out) = boxes.run(job, tasks, &order);
      out.exact = order.exact();
    } else {
      static_cast<CodeRun&>(out) = boxes.run(job, tasks);
    }
    out.starts = boxes.starts() - *starts_before_;
    return out;
  } catch (const RefusedSubmission& refused) {
    GradingRun out;
    out.trouble = refused.what();
    out.trouble_cause = Cause::own;
    out.refused = true;
    return out;
  }

  CodeBoxes& boxes() {
    if (boxes_ == nullptr) boxes_ = options_.shared;
    if (boxes_ == nullptr) {
      CodeBoxesOptions boxes = options_.boxes;
      // A box serves many runs, so its limits grow with the time limit of a single run.
      const double longer = options_.run_timeout_s / CodeGraderOptions().run_timeout_s;
      boxes.limits = boxes.limits.longer(std::max(1.0, longer));
      boxes.program = binary_;
      const auto cases = graded_cases(exercise_, facts_);
      boxes_ = &own_.emplace(std::move(boxes), std::ranges::max(cases, {}, &CodeCase::ranks).ranks);
    }
    if (!starts_before_) starts_before_ = boxes_->starts();
    return *boxes_;
  }

  const CodingExercise& exercise_;
  const CodeGraderOptions& options_;
  const ProgramFacts& facts_;
  const std::filesystem::path binary_;
  RunKeeper keeper_;
  std::optional<CodeBoxes> own_;
  CodeBoxes* boxes_ = nullptr;
  std::optional<int> starts_before_;  ///< Starts of shared boxes by other programs.
  std::vector<capi::AgentWorldRun> made_;
};

bool has_a_call(const Trace& trace) {
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].kind == EventKind::posted) return true;
  return false;
}

// It opens in the application at the place. A run that ended before its first call shows nothing.
void keep_faulty_run(const CodingExercise& exercise, const CodeGraderOptions& options,
                     const capi::AgentWorldRun& run, CodeGrade& grade) {
  const FaultyRun& faulty = *grade.faulty;
  if (run.trace && !has_a_call(run.trace->trace())) return;
  std::error_code error;
  std::filesystem::create_directories(options.traces, error);
  grade.trace = options.traces / fmt::format("{}-n{}.rankscope", exercise.id, faulty.ranks);
  grade.trace_event = faulty.event;
  TraceMeta meta = run.meta;
  meta.faults = faulty.faults;
  write_run(grade.trace, run.events, std::move(meta));
}

/// Returns whether a run took too long, or failed for lack of something that the machine may not have had.
bool lacked_something(const CaseRun& run) {
  return run.status == CaseRun::Status::timeout ||
         (run.status == CaseRun::Status::failed && run.cause == Cause::machine);
}

/// Returns whether other programs may have caused a failure. They cannot cause it if no run ended, or if the program
/// slept, or reached a limit of its own processor time, memory or processes.
bool may_be_late(const CodeGrade& grade) {
  if (grade.compiler_ended_by == Cause::late || grade.trouble_cause == Cause::others) return true;
  return ranges::count(grade.runs, CaseRun::Status::ended, &CaseRun::status) > 0 &&
         (grade.trouble_cause == Cause::late || ranges::any_of(grade.runs, [](const CaseRun& run) {
            return lacked_something(run) && !(run.status == CaseRun::Status::timeout && run.slept);
          }));
}

/// Returns whether, at one of several moments, no other thread of the machine runs.
bool machine_is_quiet() {
  constexpr int kLooks = 10;
  constexpr std::chrono::milliseconds kBetween{20};
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kBetween);
    std::ifstream file("/proc/loadavg");
    std::string running;
    for (int field = 0; field < 4; ++field) file >> running;
    if (running.starts_with("1/")) return true;
  }
  return false;
}

}  // namespace

bool is_repeatable(const CodeGrade& grade, bool quiet) {
  const bool lacked = grade.trouble_cause == Cause::machine ||
                      grade.compiler_ended_by == Cause::machine ||
                      ranges::count(grade.runs, Cause::machine, &CaseRun::cause) > 0;
  return !lacked && (quiet || !may_be_late(grade));
}

FairGrade grade_fairly(const CodingExercise& exercise, CodeGraderOptions options,
                       std::shared_mutex& running) {
  constexpr double kLonger = 2;
  std::optional<CodeGrade> first;
  try {
    const std::shared_lock beside(running);
    first = grade_code(exercise, options);
  } catch (const UserError&) {  // no process or no memory for a box, for example
  }
  if (first && (first->interrupted || !may_be_late(*first))) return {std::move(*first), false, ""};
  // Such a failure counts only if it happens again while nothing else runs.
  const std::unique_lock alone(running);
  const bool quiet = machine_is_quiet();
  if (!quiet) options.run_timeout_s *= kLonger;
  FairGrade out{grade_code(exercise, options), false, ""};
  out.quiet = quiet && machine_is_quiet();
  if (out.grade.interrupted || out.quiet || !may_be_late(out.grade)) return out;
  const auto late = ranges::find_if(out.grade.runs, lacked_something);
  out.unsure = fmt::format(
      "it was not judged: other programs keep this machine busy, and {}. Grade it again",
      late == out.grade.runs.end() ? out.grade.trouble
                                   : fmt::format("with {}, {}", late->describe(), late->failure));
  return out;
}

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
  ProgramFacts facts;
  facts.seed = options.seed ? *options.seed : secret_seed();
  facts.cpp = is_cpp(handed_in(exercise, options.boxes.submission));
  facts.quick = options.shared != nullptr;
  facts.run_timeout_s = options.run_timeout_s;
  facts.most_starts = options.most_starts;
  std::optional<CppProgram> program;
  if (facts.cpp) {
    program.emplace(exercise, options.boxes);
    facts.diagnostics = program->diagnostics();
    facts.compiler_ended_by = program->ended_by();
    facts.text = cpp_text_faults(exercise, options.boxes.submission / cpp_contract(exercise)->file);
  } else if (options.shared == nullptr) {
    facts.text = python_text_faults(exercise, options.boxes);
  } else {
    facts.text = {"", ""};
  }
  if (program && program->interrupted()) {
    CodeGrade out;
    out.seed = facts.seed;
    out.interrupted = true;
    return out;
  }
  BoxRuns runs(exercise, options, facts, program ? program->binary() : std::filesystem::path());
  CodeGrade grade = judge_program(exercise, facts, runs, options.on_progress);
  if (grade.faulty && !options.traces.empty())
    keep_faulty_run(exercise, options, runs.made().at(grade.faulty->number), grade);
  return grade;
}

CodeGrade grade_kept(const CodingExercise& exercise, const std::filesystem::path& folder) {
  KeptRuns runs(exercise, folder);
  CodeGrade grade = judge_program(exercise, runs.facts(), runs);
  if (!grade.faulty) return grade;
  grade.trace = runs.file(grade.faulty->number);
  grade.trace_event = grade.faulty->event;
  return grade;
}

}  // namespace rankscope
