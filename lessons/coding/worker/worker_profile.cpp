// Checks and times the methods of a student's class Worker.
#include "lessons/coding/worker/worker_profile.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/model/statistics.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/result_parts.h"
#include "lessons/coding/run_end.h"

namespace rankscope {
namespace {

constexpr int kMostRounds = 5;
constexpr Count kCheckedCount = 20;  // as in the task's own tests
constexpr double kCheckTimeout = 10;
// A rank's vectors: its message, its buffer, and the copies of a method and its calls.
constexpr std::uint64_t kArraysOfRank = 12;

/// One row of the table.
struct Method {
  const CodingExercise* exercise = nullptr;
  ProfileRecord record;
  std::vector<double> seconds;

  bool is_message() const { return exercise->call.harness == CodingCall::Harness::send_recv; }
  std::string name() const { return is_message() ? "do_send_recv" : exercise->call.function; }
};

CodeCase case_of(const WorkerProfileOptions& options, Count count) {
  CodeCase one;
  one.collective = Collective::allreduce;
  one.ranks = options.ranks;
  one.shape = Shape(std::vector<Count>{1, count});
  one.dtype = DType::float32;
  one.seed = options.seed;
  return one;
}

std::vector<float> floats_in(const std::vector<std::byte>& data) {
  std::vector<float> out(data.size() / sizeof(float));
  std::memcpy(out.data(), data.data(), out.size() * sizeof(float));
  return out;
}

/// The ranks' inputs in timed runs, and the right results. All methods have the same: with 32 MiB on each rank
/// memory holds it once.
struct TimedData {
  CodeCase one;
  std::vector<std::vector<std::byte>> inputs;  ///< By rank.
  std::vector<float> first, sum;               ///< Rank 0's input; the sum of all.
};

/// Inputs are whole numbers whose sum float32 holds, so any order of additions comes to this.
TimedData timed_data(const CodingExercise& exercise, const CodeCase& one) {
  TimedData out;
  out.one = one;
  for (capi::AgentTask& task : tasks_of(exercise, one)) {
    out.inputs.push_back(std::move(task.inputs.at(0)));
    const auto more = floats_in(out.inputs.back());
    if (out.inputs.size() == 1) out.first = out.sum = more;
    else std::ranges::transform(out.sum, more, out.sum.begin(), std::plus<>());
  }
  return out;
}

/// Says what is wrong with a rank's result of the last trial; empty if it is right.
std::string wrong_result(const Method& method, const TimedData& data, Rank rank,
                         const capi::AgentReport& report) {
  const auto* const got = result_called(report, "return");
  const bool idle = method.is_message() && rank > 1;
  if (got == nullptr) return fmt::format("nothing came back from rank {}", rank);
  if (idle) return {};
  if (got->dtype != DType::float32 || got->shape != data.one.shape.extents())
    return fmt::format("rank {} does not return a float32 tensor of shape {}", rank,
                       data.one.shape.to_string());
  const auto have = floats_in(got->data);
  const auto [at, want] = std::ranges::mismatch(have, method.is_message() ? data.first : data.sum);
  if (at == have.end()) return {};
  return fmt::format("the result on rank {}: element {} is {:.15g}, it should be {:.15g}", rank,
                     at - have.begin(), *at, *want);
}

/// The slowest rank's seconds of each trial but the first. Empty: no rank said how many.
std::vector<double> slowest(const CodeRun& run, int trials) {
  std::vector<double> out(static_cast<std::size_t>(trials) - 1, 0);
  for (const auto& rank : run.ranks) {
    const auto* const told = result_called(rank, "seconds");
    const auto seconds = told == nullptr ? std::vector<double>{} : numbers_in(*told);
    if (std::ssize(seconds) != trials) return {};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], seconds[i + 1]);
  }
  const bool sound = ranges::all_of(out, [](double s) { return std::isfinite(s) && s > 0; });
  return sound ? out : std::vector<double>{};
}

class WorkerProfiler {
 public:
  WorkerProfiler(const std::vector<const CodingExercise*>& exercises,
                 const WorkerProfileOptions& options)
      : options_(options),
        rounds_(std::min(kMostRounds, options.trials)),
        boxes_(with_limits(options), options.ranks) {
    for (const CodingExercise* exercise : exercises) methods_.emplace_back().exercise = exercise;
  }

  WorkerProfile run() {
    for (Method& method : methods_)
      if (!out_.interrupted) check(method);
    for (int round = 0; round < rounds_ && !out_.interrupted; ++round)
      for (Method& method : methods_)
        if (method.record.error.empty() && !out_.interrupted) measure(method, round);
    for (Method& method : methods_) {
      if (!method.seconds.empty()) summarize_into(method.record, method.seconds);
      out_.records.push_back(std::move(method.record));
    }
    return std::move(out_);
  }

 private:
  static CodeBoxesOptions with_limits(const WorkerProfileOptions& options) {
    CodeBoxesOptions out = options.boxes;
    const auto bytes = static_cast<std::uint64_t>(options.count) * sizeof(float);
    out.limits.memory += kArraysOfRank * bytes * static_cast<std::uint64_t>(options.ranks);
    out.limits.wall = std::chrono::hours(4);
    out.limits.cpu_seconds = 4 * 3600;
    return out;
  }

  void progress(const std::string& words) const {
    if (options_.on_progress) options_.on_progress(words);
  }

  CodeRun run(const Method& method, const CodeCase& one, const std::vector<capi::AgentTask>& tasks,
              double timeout_s) {
    CodeRun out = boxes_.run(job_of(*method.exercise, one, timeout_s), tasks);
    out.trouble = printable(out.trouble);
    if (out.result.status == JobResult::Status::interrupted) out_.interrupted = true;
    return out;
  }

  /// Called once with few elements, as its exercise does it, and judged by that one's rules.
  void check(Method& method) {
    ProfileRecord& record = method.record;
    record.algorithm = method.name();
    record.collective = to_string(method.is_message() ? Collective::p2p : Collective::allreduce);
    record.transport = options_.boxes.support.sandbox ? "sandbox" : "agents";
    record.np = options_.ranks;
    record.bytes = static_cast<std::uint64_t>(options_.count) * sizeof(float);
    progress(method.name() + ", a small run to see whether it is right");
    const CodeCase small = case_of(options_, kCheckedCount);
    const CodeRun seen = run(method, small, tasks_of(*method.exercise, small), kCheckTimeout);
    if (out_.interrupted) return;
    if (const auto failure = failure_in(*method.exercise, small, seen))
      return fail(method, failure.words);
    note_algorithm(method, small, seen);
  }

  /// A right result may come from another algorithm: then the row is not what its name says.
  void note_algorithm(const Method& method, const CodeCase& one, const CodeRun& seen) {
    CaseRun judged;
    static_cast<GradedCase&>(judged) = graded_case(*method.exercise, one);
    judged.evidence.agent_only = true;
    judged.trace = seen.trace;
    judged.text = {"", ""};
    const CodingVerdict verdict = grade_rules(*method.exercise, {judged});
    const std::string& why = verdict.capped.empty() ? verdict.other_algorithm : verdict.capped;
    if (!why.empty())
      out_.notes.push_back(fmt::format(
          "{} has the right result, but not by its own algorithm ({}): its row measures something "
          "else. See `rankscope exercise {} FILE`",
          method.name(), why, method.exercise->id));
  }

  void fail(Method& method, const std::string& words) {
    method.record.error = words;
    method.seconds.clear();
    const auto same = ranges::find(out_.faults, words, &WorkerFault::says);
    if (same == out_.faults.end()) out_.faults.push_back({{method.name()}, words});
    else same->methods.push_back(method.name());
  }

  /// The task of a small run, for more elements, again and again.
  std::vector<capi::AgentTask> timed_tasks(const Method& method, int trials) {
    auto tasks = tasks_of(*method.exercise, case_of(options_, kCheckedCount));
    for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
      nlohmann::json text = parse_json(tasks[rank].text);
      text["msg"]["shape"] = data_.one.shape.extents();
      text["trials"] = trials;
      tasks[rank].text = dump_json(text);
      tasks[rank].inputs.at(0).swap(data_.inputs[rank]);
    }
    return tasks;
  }

  void measure(Method& method, int round) {
    progress(fmt::format("{}, round {} of {}", method.name(), round + 1, rounds_));
    if (data_.inputs.empty())
      data_ = timed_data(*method.exercise, case_of(options_, options_.count));
    const int timed = options_.trials * (round + 1) / rounds_ - options_.trials * round / rounds_;
    auto tasks = timed_tasks(method, timed + 1);
    const CodeRun seen = run(method, data_.one, tasks, options_.run_timeout_s);
    for (std::size_t rank = 0; rank < tasks.size(); ++rank)
      tasks[rank].inputs.at(0).swap(data_.inputs[rank]);
    if (out_.interrupted) return;
    if (status_of(seen) != CaseRun::Status::ended) return fail(method, failure_of(seen));
    for (std::size_t rank = 0; rank < seen.ranks.size(); ++rank)
      if (const auto words = wrong_result(method, data_, static_cast<Rank>(rank), seen.ranks[rank]);
          !words.empty())
        return fail(method, words);
    const auto seconds = slowest(seen, timed + 1);
    if (seconds.empty()) return fail(method, "no times came back from its ranks");
    method.seconds.insert(method.seconds.end(), seconds.begin(), seconds.end());
    ++method.record.launches;
    method.record.warmup = 1;
    method.record.iterations = timed;
    method.record.round_median_s.push_back(median(seconds));
  }

  const WorkerProfileOptions& options_;
  const int rounds_;
  CodeBoxes boxes_;
  std::vector<Method> methods_;
  TimedData data_;
  WorkerProfile out_;
};

}  // namespace

WorkerProfile profile_worker(const std::vector<const CodingExercise*>& exercises,
                             const WorkerProfileOptions& options) {
  return WorkerProfiler(exercises, options).run();
}

}  // namespace rankscope
