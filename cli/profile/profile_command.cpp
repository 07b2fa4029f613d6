// `rankscope profile`: the speed of algorithms, compared with each other and with other libraries.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/profile/profile_report.h"
#include "cli/program/program_files.h"
#include "cli/sizes.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/transports.h"
#include "engine/run/profile/profiler.h"
#include "lessons/coding/worker/worker_profile.h"
#include "lessons/course/read_lesson.h"
#include "lessons/handout/giveaways.h"

namespace rankscope::cli {
namespace {

/// Writes records as files; an empty name stands for none. Throws UserError for a file that cannot be written.
void write_records(const std::vector<ProfileRecord>& records, const std::string& csv,
                   const std::string& json) {
  if (!csv.empty()) write_whole(csv, to_csv(records));
  if (!json.empty()) write_whole(json, to_json(records));
}

/// Shows progress in `line`, which must outlive what is measured.
Profiler::Options profiler_options(ProgressLine& line, int interrupt_fd) {
  Profiler::Options options;
  options.runner.interrupt_fd = interrupt_fd;
  options.on_progress = [&line](const ProfileProgress& progress) {
    line.show(fmt::format("{} of {}  round {}/{}  {}", progress.done + 1, progress.total,
                          progress.round, progress.rounds, progress.what));
  };
  return options;
}

struct AssignmentOptions {
  int ranks = 8;
  std::uint64_t bytes = std::uint64_t{4} << 23;  ///< On each rank, as float32.
  int trials = 10;
  std::vector<std::string> transports;
  double timeout_s = 60;
  std::string csv, records;  ///< Files; "" for none.
  std::string worker;        ///< The file with the class; "" to measure our algorithms.
  bool no_sandbox = false;
};

constexpr std::string_view kAccounting =
    "MB/s is the assignment's accounting: D for point-to-point, 2 D (N-1)/N for every allreduce "
    "(56 MB of 32 on 8 ranks), which is what a ring moves; bidirectional exchange really moves 3 D "
    "a rank, and the root of the minimum-spanning tree 3 D each way, on 8 ranks. busbw is that of "
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
  if (!keeps_answers()) print_wrapped(console, kAccounting);
  return kOk;
}

int measure_ours(const Console& console, const AssignmentOptions& options) {
  const Interrupt interrupt;
  ProgressLine line(console);
  Profiler profiler(profiler_options(line, interrupt.fd()));
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
  line.clear();
  const int code = report(console, options, all.records);
  return all.interrupted ? kInterrupted : code;
}

int measure_worker(const Console& console, const AssignmentOptions& options) {
  const LessonLibrary library(lessons_folder());
  std::vector<CodingExercise> own;
  for (const std::string_view id : kWorkerExercises)
    own.push_back(exercise_named(library, std::string(id)));
  const Submission submission(options.worker, own.front());
  std::vector<const CodingExercise*> exercises;
  for (CodingExercise& one : own) {
    one.file = submission.exercise().file;  // all of them are in one class
    exercises.push_back(&one);
  }
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

/// Returns an ExitCode. Throws UserError for numbers that make no table, and for a missing file.
int run_assignment(const Console& console, const AssignmentOptions& options) {
  check_numbers(options);
  if (options.no_sandbox && options.worker.empty())
    throw UserError("--no-sandbox is for programs of others: give --worker, too");
  if (options.worker.empty() && keeps_answers())
    throw UserError("your course asks for the table of your own methods: give --worker worker.py");
  return options.worker.empty() ? measure_ours(console, options) : measure_worker(console, options);
}

struct Options {
  std::string collective = "allreduce", algorithms = "all", sizes = "8:64MiB:x8", np = "8";
  std::string transports{kDefaultTransport}, baselines;
  std::string csv, records, fit, judge;
  JobOptions job;
  int rounds = 5, warmup = -1, iterations = -1;
  double budget_s = 0.5, give_up = 0;
  std::string worker;
  bool assignment = false, no_sandbox = false;
  OptionHandle fit_option, np_option, sizes_option, iterations_option;
};

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (const auto word : split_at(text, ","))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// Returns whether a word is meant as an algorithm's name.
bool names_algorithm(const std::string& word) { return word.find('.') != std::string::npos; }

// Reads "all", "all,auto", "ring,mst" or "allreduce.ring".
std::vector<std::string> algorithms_named(const std::string& collective, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& word : split_list(text)) {
    if (word == "all") {
      for (const auto& algorithm : algorithms())
        if (to_string(algorithm.collective) == collective) names.emplace_back(algorithm.name);
      if (names.empty())
        throw UserError(fmt::format(
            "there is no collective '{}': `rankscope list` shows the collectives", collective));
    } else {
      names.push_back(names_algorithm(word) ? word : fmt::format("{}.{}", collective, word));
      if (!is_auto(names.back())) require_algorithm(names.back());
    }
  }
  return names;
}

std::string schedule_algorithm(const std::string& collective) {
  for (const Algorithm& one : schedule_algorithms())
    if (to_string(one.collective) == collective) return std::string(one.name);
  throw UserError(fmt::format("--schedule: no table runs as {}", collective));
}

ProfilePlan plan_of(const Options& options) {
  ProfilePlan plan;
  std::string collective = options.collective;
  std::string names = options.algorithms;
  if (names_algorithm(collective)) {
    names = collective;
    collective = to_string(collective_of(names));
  }
  plan.algorithms = algorithms_named(collective, names);
  if (!options.job.fields().call.schedule.empty())
    plan.algorithms.push_back(schedule_algorithm(collective));
  plan.sizes = parse_sizes(options.sizes, "--sizes");
  plan.world_sizes = parse_integers(options.np, "--np", 1, 1024);
  plan.transports = split_list(options.transports);
  plan.baselines = split_list(options.baselines);
  const JobSpec job = options.job.fields();
  check_fields(job);
  plan.dtype = job.call.dtype;
  plan.op = job.call.op;
  plan.trace = job.recording.trace;
  plan.schedule = job.call.schedule;
  plan.segment_bytes = job.call.segment_bytes;
  plan.radix = job.call.radix;
  plan.rounds = options.rounds;
  plan.warmup = options.warmup;
  plan.iterations = options.iterations;
  plan.budget_s = options.budget_s;
  plan.timeout_s = job.recording.timeout_s;
  plan.give_up_beyond = options.give_up;
  return plan;
}

std::string fit_file(const Options& options) {
  return options.fit.empty() ? auto_choice_file() : options.fit;
}

/// Throws UserError for a fit that could not be kept, before minutes are spent on measuring.
void check_fit(const Options& options) {
  namespace fs = std::filesystem;
  if (options.fit_option.count() == 0) return;
  const fs::path file = fit_file(options);
  if (file.empty()) throw UserError("there is no home to keep the fit in: give --fit FILE");
  std::error_code ignored;
  if (!file.parent_path().empty()) fs::create_directories(file.parent_path(), ignored);
  const auto folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  const auto place = fs::exists(file, ignored) ? file : folder;
  if (fs::is_directory(file, ignored) || ::access(place.c_str(), W_OK) != 0)
    throw UserError(
        fmt::format("the fit cannot be written to {}: give --fit FILE with another file, in a "
                    "folder that you may write to",
                    file.string()));
  read_choice_file(file.string());  // throws unless the fit can be added to it
}

void fit_choice(const Console& console, const Options& options, const Profile& profile) {
  const std::string file = fit_file(options);
  const auto samples = samples_of(profile.records);
  ChoiceTable table;
  if (const auto known = read_choice_file(file)) table = *known;
  const ChoiceTable fitted = ChoiceTable::fit(samples);
  table.merge(fitted);
  write_choice_file(file, table);
  const auto quality = judge_choice(fitted, samples);
  console.note(
      fmt::format("{}: {} rules; on this run's own figures the choice is within 10 % of the best "
                  "at {} of {} points",
                  file, fitted.rules().size(), quality.within, quality.points));
}

// Judges a fit of another run by this one.
void judge_file(const Console& console, const std::string& file, const Profile& profile) {
  const auto table = file == "built-in" ? ChoiceTable::built_in() : read_choice_file(file);
  if (!table) throw UserError(fmt::format("there is no file {}", file));
  const auto quality = judge_choice(*table, samples_of(profile.records));
  console.print(
      fmt::format("The choice of {} is within 10 % of the best at {} of {} points ({:.0f} %); at "
                  "the worst {:.2f} times the best.\n",
                  file, quality.within, quality.points, 100 * quality.share(), quality.worst));
}

int report(const Console& console, const Options& options, const Profile& profile) {
  for (const auto& note : profile.notes) console.note(note);
  write_records(profile.records, options.csv, options.records);
  if (console.json()) console.print_raw(to_json(profile.records));
  else console.print(profile_table(profile.records, console.out()));
  if (options.fit_option.count() > 0 && !profile.interrupted) fit_choice(console, options, profile);
  if (!options.judge.empty()) judge_file(console, options.judge, profile);
  if (profile.interrupted) return kInterrupted;
  const bool failed = ranges::any_of(profile.records, [](const auto& r) { return !r.ok(); });
  return failed ? kFailed : kOk;
}

AssignmentOptions assignment_of(const Options& options) {
  AssignmentOptions out;
  const auto only = [](const auto& values, std::string_view option) {
    if (values.size() != 1)
      throw UserError(
          fmt::format("the assignment's table has one number for {0}: give {0} one", option));
    return values.front();
  };
  if (options.np_option.count() > 0)
    out.ranks = only(parse_integers(options.np, "--np", 2, 64), "--np");
  if (options.sizes_option.count() > 0)
    out.bytes = only(parse_sizes(options.sizes, "--sizes"), "--sizes");
  if (options.iterations_option.count() > 0) out.trials = options.iterations;
  out.transports = split_list(options.transports);
  out.timeout_s = options.job.fields().recording.timeout_s;
  out.csv = options.csv;
  out.records = options.records;
  out.worker = options.worker;
  out.no_sandbox = options.no_sandbox;
  return out;
}

int run(const Console& console, const Options& options) {
  if (options.assignment) return run_assignment(console, assignment_of(options));
  if (!options.worker.empty() || options.no_sandbox)
    throw UserError(
        "--worker and --no-sandbox belong to the assignment's table: give --assignment, too");
  const ProfilePlan plan = plan_of(options);
  plan.validate();
  check_fit(options);
  const Interrupt interrupt;
  ProgressLine line(console);
  const Profile profile = Profiler(profiler_options(line, interrupt.fd())).run(plan);
  line.clear();
  return report(console, options, profile);
}

void add_what_to_measure(OptionList app, Options& o) {
  app.add_option("COLLECTIVE", "COLLECTIVE", o.collective,
                 "What to measure: a collective or an algorithm");
  app.add_option("--algorithms", "LIST", o.algorithms,
                 "\"all\", \"all,auto\" or names: \"ring,mst,auto\"");
  o.sizes_option = app.add_option(
      "--sizes", "LIST", o.sizes,
      "Bytes as nccl-tests count them: \"1MiB\", \"8:64MiB\" (doubling), \"8:64MiB:x8\"");
  o.np_option = app.add_option("-n,--np", "LIST", o.np, "Numbers of ranks: \"2,4,8\"");
  app.add_option("-t,--transport", "LIST", o.transports,
                 fmt::format("{} or several: \"{}\"", transport_names(", ", &Transport::processes),
                             transport_names(",", &Transport::processes)));
  app.add_option("--baseline", "LIST", o.baselines,
                 "Other libraries to measure beside: gloo, gloo-bcube, openmpi (shared memory), "
                 "openmpi-tcp, zeromq (a bare ring on its sockets)");
  o.job.add(app, "dtype");
  o.job.add(app, "op");
  o.job.add(app, "segment_bytes");
  o.job.add(app, "radix");
  o.job.add(app, "schedule")
      .description(
          "Also measure this table of moves (a file, or the table itself) beside the algorithms");
  o.job.add(app, "trace");
  app.add_flag("--assignment", o.assignment,
               "The table of the \"Ray AllReduce task\" assignment: 8 ranks, 2^23 float32, 10 "
               "trials; another -n, --sizes or --iterations (trials) may be given");
  app.add_option("--worker", "FILE", o.worker,
                 "With --assignment: measure the class Worker in this file, in sandboxes, instead "
                 "of our algorithms");
  app.add_flag(
      "--no-sandbox", o.no_sandbox,
      "With --worker: run the program with your rights, as if you had started it yourself");
}

void add_how_to_measure(OptionList app, Options& o) {
  app.add_option("--rounds", "N", o.rounds, "Interleaved rounds: A B C A B C ...");
  app.add_option("--warmup", "N", o.warmup,
                 "Untimed iterations over all rounds; else 100 up to 8 KiB and 10 beyond (OSU), "
                 "cut to fit --budget");
  o.iterations_option = app.add_option("--iterations", "N", o.iterations,
                                       "Timed iterations over all rounds; else 1000 up to 8 KiB "
                                       "and 100 beyond (OSU), cut to fit --budget");
  app.add_option("--budget", "S", o.budget_s,
                 "Seconds of timed work for one algorithm at one size and number of ranks");
  app.add_option("--give-up", "RATIO", o.give_up,
                 "Measure an algorithm only once if it is this many times slower than the best (0: "
                 "measure all)");
  o.job.add(app, "timeout_s");
  app.add_option("--csv", "FILE", o.csv, "Write the records as CSV (bandwidths in bytes/s)");
  app.add_option("--records", "FILE", o.records,
                 "Write the records as JSON (bandwidths in bytes/s)");
  o.fit_option = app.add_option("--fit", "FILE", o.fit,
                                "Fit what COLLECTIVE.auto chooses to this run; without FILE for "
                                "all later runs of this user")
                     .expected(0, 1);
  app.add_option("--judge", "FILE", o.judge,
                 "Judge a fit of an earlier run (or \"built-in\") by this run's figures");
}

Action define_profile(OptionList app) {
  const auto options = std::make_shared<Options>();
  options->job.texts["trace"] = "light";
  add_what_to_measure(app, *options);
  add_how_to_measure(app, *options);
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace

constinit const CommandEntry kProfileCommand{
    .name = "profile",
    .group = kMeasuring,
    .summary = "measure algorithms against each other and against Gloo and Open MPI",
    .details =
        "Measures in interleaved rounds, with workers that keep running. Times are those of the "
        "slowest rank. Sizes and the bandwidths algbw and busbw are those of nccl-tests, "
        "repetitions those of the OSU micro-benchmarks. Every result is checked once before it is "
        "timed.",
    .examples =
        "rankscope profile allreduce --sizes 8:64MiB --np 2,4,8 --baseline gloo,openmpi  # all "
        "algorithms beside two libraries\n"
        "rankscope profile allreduce --algorithms auto,ring --sizes 32MiB -t ipc,tcp  # a few\n"
        "rankscope profile alltoall --csv alltoall.csv  # for a plot\n"
        "rankscope profile allreduce --np 2,4,8 --sizes 8:64MiB:x4 --fit  # teach allreduce.auto "
        "this machine\n"
        "rankscope profile --assignment  # the table of the \"Ray AllReduce task\"\n"
        "rankscope profile --assignment --worker worker.py  # the same of your own class Worker",
    .define = define_profile,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
