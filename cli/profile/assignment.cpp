// `rankscope profile --assignment`: point-to-point and the allreduces of the "Ray AllReduce task", as it asks.
#include "cli/profile/assignment.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/profile/profile_report.h"
#include "cli/profile/profile_run.h"
#include "cli/program/exercise_files.h"
#include "cli/program/program_files.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/coding/worker/worker_profile.h"
#include "lessons/course/read_lesson.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kAccounting =
    "MB/s is the assignment's accounting: D for point-to-point, 2 D (N-1)/N for every allreduce "
    "(56 "
    "MB of 32 on 8 ranks), which is what a ring moves; bidirectional exchange really moves 3 D a "
    "rank, and the root of the minimum-spanning tree 3 D each way, on 8 ranks. busbw is that of "
    "nccl-tests. Point-to-point is not comparable with the rest: one pair of ranks has the machine "
    "for itself, in an allreduce all share it. The printed figures are another machine's and "
    "another transport's, without warm-up, for 8 ranks and 32 MiB; its BDE and MST rows time the "
    "built-in once more, so their difference is noise.";
constexpr std::string_view kSandbox =
    "Measured on the class Worker of the file, whose messages go through the sandbox of each rank: "
    "compare the rows of this table with each other, not with those of `rankscope profile "
    "--assignment`. Each row was checked with numbers that differ from rank to rank.";

void check_numbers(const AssignmentOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{4} << 23;
  if (options.bytes % sizeof(float) != 0 || options.bytes == 0)
    throw UserError("--sizes: a message of float32 has a multiple of 4 bytes");
  if (options.trials < 1) throw UserError("--iterations: one trial at least is needed");
  if (!options.worker.empty() && options.bytes > kMost)
    throw UserError("--sizes: with --worker a message has 32 MiB at most, as in the assignment");
}

std::string heading(const AssignmentOptions& options) {
  return fmt::format("{}, {} float32 ({}), {}, medians; MB = 2^20 bytes\n\n",
                     plural(options.ranks, "rank"), options.bytes / sizeof(float),
                     format_bytes(options.bytes), plural(options.trials, "trial"));
}

void print_wrapped(const Console& console, std::string_view text) {
  console.print(wrap(std::string(text) + "\n", std::max(40, console.width())));
}

int report(const Console& console, const AssignmentOptions& options,
           const std::vector<ProfileRecord>& records) {
  write_records(records, options.csv, options.records);
  if (console.json()) {
    console.print_raw(to_json(records));
    return kOk;
  }
  console.print(heading(options) + assignment_table(records, console.out()) + "\n");
  print_wrapped(console, kAccounting);
  return kOk;
}

int measure_ours(const Console& console, const AssignmentOptions& options) {
  const Interrupt interrupt;
  Profiler profiler(profiler_options(console, interrupt.fd()));
  Profile all;
  for (const auto& names :
       {std::vector<std::string>{"p2p.ping"},
        {"allreduce.auto", "allreduce.bde", "allreduce.mst", "allreduce.ring"}}) {
    ProfilePlan plan;
    plan.algorithms = names;
    plan.sizes = {options.bytes};
    plan.world_sizes = {options.ranks};
    plan.transports = options.transports;
    plan.rounds = options.trials;
    plan.iterations = options.trials;
    plan.warmup = options.trials;
    plan.timeout_s = options.timeout_s;
    Profile part = profiler.run(plan);
    std::ranges::move(part.records, std::back_inserter(all.records));
    all.interrupted = part.interrupted;
    if (all.interrupted) break;
  }
  clear_progress(console);
  const int code = report(console, options, all.records);
  return all.interrupted ? kInterrupted : code;
}

int measure_worker(const Console& console, const AssignmentOptions& options) {
  const LessonLibrary library(lessons_folder());
  std::vector<const CodingExercise*> exercises;
  for (const std::string_view id : kWorkerExercises)
    exercises.push_back(&exercise_named(library, std::string(id)));
  const Submission submission(options.worker, *exercises.front());
  const Interrupt interrupt;
  ProgressLine progress(console);
  WorkerProfileOptions profile;
  profile.boxes = code_boxes_options(options.no_sandbox);
  if (options.no_sandbox) console.note(box_warning());
  profile.boxes.submission = submission.folder();
  profile.boxes.interrupt_fd = interrupt.fd();
  profile.ranks = options.ranks;
  profile.count = static_cast<Count>(options.bytes / sizeof(float));
  profile.trials = options.trials;
  profile.run_timeout_s = options.timeout_s;
  profile.on_progress = [&](const std::string& what) { progress.show(what); };
  const WorkerProfile seen = profile_worker(exercises, profile);
  progress.clear();
  if (seen.interrupted) return kInterrupted;
  const bool some = ranges::any_of(seen.records, &ProfileRecord::ok);
  if (some || console.json()) report(console, options, seen.records);
  if (some && !console.json()) print_wrapped(console, kSandbox);
  for (const std::string& note : seen.notes) console.note(note);
  if (seen.faults.empty()) return kOk;
  std::string words;
  for (const WorkerFault& fault : seen.faults)
    words += fmt::format("{}{}: {}", words.empty() ? "" : "\n", fmt::join(fault.methods, ", "),
                         fault.says);
  throw UserError(words +
                  "\nOnly right methods are measured: mend these, and measure again. --timeout "
                  "SECONDS gives slow ones more time");
}

}  // namespace

int run_assignment(const Console& console, const AssignmentOptions& options) {
  check_numbers(options);
  if (options.no_sandbox && options.worker.empty())
    throw UserError("--no-sandbox is for programs of others: give --worker, too");
  return options.worker.empty() ? measure_ours(console, options) : measure_worker(console, options);
}

}  // namespace rankscope::cli
