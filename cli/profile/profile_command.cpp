// `rankscope profile`: how fast, beside each other and beside other libraries.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/profile/profile_report.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/model/statistics.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/choice_file.h"
#include "engine/run/job/transports.h"
#include "engine/run/profile/profiler.h"

namespace rankscope::cli {
namespace {

struct Options {
  std::string collective = "allreduce", algorithms = "all", sizes = "8:64MiB:x8", np = "8";
  std::string transports{kDefaultTransport}, baselines;
  std::string csv, records, fit, judge;
  JobOptions job;
  int rounds = 5, warmup = -1, iterations = -1;
  double budget_s = 0.5, give_up = 0;
  bool assignment = false;
  OptionHandle fit_option;
};

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (const auto word : split(text, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

// What is meant, whether there is one or not.
bool names_algorithm(const std::string& word) { return word.find('.') != std::string::npos; }

// "all", "all,auto", "ring,mst", "allreduce.ring".
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

ProfilePlan plan_of(const Options& options) {
  ProfilePlan plan;
  std::string collective = options.collective;
  std::string names = options.algorithms;
  if (names_algorithm(collective)) {
    names = collective;
    collective = to_string(collective_of(names));
  }
  plan.algorithms = algorithms_named(collective, names);
  plan.sizes = parse_sizes(options.sizes, "--sizes");
  plan.world_sizes = parse_integers(options.np, "--np", 1, 1024);
  plan.transports = split_list(options.transports);
  plan.baselines = split_list(options.baselines);
  const JobSpec job = options.job.fields();
  check_fields(job);
  plan.dtype = job.dtype;
  plan.op = job.op;
  plan.trace = job.trace;
  plan.segment_bytes = job.segment_bytes;
  plan.rounds = options.rounds;
  plan.warmup = options.warmup;
  plan.iterations = options.iterations;
  plan.budget_s = options.budget_s;
  plan.timeout_s = job.timeout_s;
  plan.give_up_beyond = options.give_up;
  return plan;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out)
    throw UserError(
        fmt::format("cannot write {}: is the folder there, and may you write to it?", file));
}

Profiler::Options profiler_options(const Console& console, int interrupt_fd) {
  Profiler::Options options;
  options.runner.interrupt_fd = interrupt_fd;
  if (console.err_is_terminal() && !console.quiet()) {
    options.on_progress = [&console](const ProfileProgress& progress) {
      const auto line = fmt::format("{} of {}  round {}/{}  {}", progress.done + 1, progress.total,
                                    progress.round, progress.rounds, progress.what);
      const auto width = static_cast<std::size_t>(std::max(20, console.width() - 1));
      fmt::print(stderr, "\r\033[K{}", line.substr(0, width));
      std::fflush(stderr);
    };
  }
  return options;
}

void clear_progress(const Console& console) {
  if (console.err_is_terminal() && !console.quiet()) fmt::print(stderr, "\r\033[K");
}

std::string fit_file(const Options& options) {
  return options.fit.empty() ? auto_choice_file() : options.fit;
}

/// Before minutes are spent on measuring.
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
  read_choice_file(file.string());  // the fit is added to it; throws when it is none
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
      fmt::format("{}: {} rules; on this run's own figures the choice is within 10 % of the "
                  "best at {} of {} points",
                  file, fitted.rules().size(), quality.within, quality.points));
}

// A table fitted on one run, judged on this one.
void judge_file(const Console& console, const std::string& file, const Profile& profile) {
  const auto table = file == "built-in" ? ChoiceTable::built_in() : read_choice_file(file);
  if (!table) throw UserError(fmt::format("there is no file {}", file));
  const auto quality = judge_choice(*table, samples_of(profile.records));
  console.print(
      fmt::format("The choice of {} is within 10 % of the best at {} of {} points ({:.0f} "
                  "%); at the worst {:.2f} times the best.\n",
                  file, quality.within, quality.points, 100 * quality.share(), quality.worst));
}

int report(const Console& console, const Options& options, const Profile& profile) {
  for (const auto& note : profile.notes) console.note(note);
  if (!options.csv.empty()) write_text(options.csv, to_csv(profile.records));
  if (!options.records.empty()) write_text(options.records, to_json(profile.records));
  if (console.json()) console.print_raw(to_json(profile.records));
  else console.print(profile_table(profile.records, console.out()));
  if (options.fit_option.count() > 0 && !profile.interrupted) fit_choice(console, options, profile);
  if (!options.judge.empty()) judge_file(console, options.judge, profile);
  if (profile.interrupted) return kInterrupted;
  const bool failed = std::ranges::any_of(profile.records, [](const auto& r) { return !r.ok(); });
  return failed ? kFailed : kOk;
}

// Point-to-point and the allreduces of the "Ray AllReduce task", as it asks: 8 ranks, 2^23 float32,
// 10 trials.
int run_assignment(const Console& console, const Options& options) {
  constexpr std::uint64_t kBytes = std::uint64_t{4} << 23;
  constexpr int kRanks = 8, kTrials = 10;
  const Interrupt interrupt;
  Profiler profiler(profiler_options(console, interrupt.fd()));
  Profile all;
  for (const auto& names :
       {std::vector<std::string>{"p2p.ping"},
        {"allreduce.auto", "allreduce.bde", "allreduce.mst", "allreduce.ring"}}) {
    ProfilePlan plan;
    plan.algorithms = names;
    plan.sizes = {kBytes};
    plan.world_sizes = {kRanks};
    plan.transports = split_list(options.transports);
    plan.rounds = kTrials;
    plan.iterations = kTrials;
    plan.warmup = kTrials;
    plan.timeout_s = options.job.fields().timeout_s;
    Profile part = profiler.run(plan);
    std::ranges::move(part.records, std::back_inserter(all.records));
    all.interrupted = part.interrupted;
    if (all.interrupted) break;
  }
  clear_progress(console);
  if (!options.csv.empty()) write_text(options.csv, to_csv(all.records));
  if (!options.records.empty()) write_text(options.records, to_json(all.records));
  if (console.json()) {
    console.print_raw(to_json(all.records));
    return all.interrupted ? kInterrupted : kOk;
  }
  console.print(
      fmt::format("8 ranks, 2^23 float32 (32 MiB), 10 trials, medians; MB = 2^20 bytes\n\n"
                  "{}\n",
                  assignment_table(all.records, console.out())));
  console.print(wrap(
      "MB/s is the assignment's accounting: 32 MB for point-to-point, 2 D (N-1)/N = 56 MB for "
      "every "
      "allreduce, which is what a ring moves; bidirectional exchange really moves 3 D a rank, and "
      "the "
      "root of the minimum-spanning tree 3 D each way. busbw is that of nccl-tests. Point-to-point "
      "is "
      "not comparable with the rest: one pair of ranks has the machine for itself, in an allreduce "
      "eight share it. The printed figures are another machine's and another transport's, without "
      "warm-up; its BDE and MST rows time the built-in once more, so their difference is noise.\n",
      std::max(40, console.width())));
  return all.interrupted ? kInterrupted : kOk;
}

int run(const Console& console, const Options& options) {
  if (options.assignment) return run_assignment(console, options);
  const ProfilePlan plan = plan_of(options);
  plan.validate();
  check_fit(options);
  const Interrupt interrupt;
  Profile profile;
  {
    Profiler profiler(profiler_options(console, interrupt.fd()));
    profile = profiler.run(plan);
  }
  clear_progress(console);
  return report(console, options, profile);
}

void add_what_to_measure(OptionList app, Options& o) {
  app.add_option("COLLECTIVE", "COLLECTIVE", o.collective,
                 "What to measure: a collective or an algorithm");
  app.add_option("--algorithms", "LIST", o.algorithms,
                 "\"all\", \"all,auto\" or names: \"ring,mst,auto\"");
  app.add_option(
      "--sizes", "LIST", o.sizes,
      "Bytes as nccl-tests count them: \"1MiB\", \"8:64MiB\" (doubling), \"8:64MiB:x8\"");
  app.add_option("-n,--np", "LIST", o.np, "Numbers of ranks: \"2,4,8\"");
  app.add_option("-t,--transport", "LIST", o.transports,
                 fmt::format("{} or both: \"{}\"", transport_names(", ", &Transport::processes),
                             transport_names(",", &Transport::processes)));
  app.add_option("--baseline", "LIST", o.baselines,
                 "Other libraries to measure beside: gloo, gloo-bcube, openmpi (shared memory), "
                 "openmpi-tcp");
  o.job.add(app, "dtype");
  o.job.add(app, "op");
  o.job.add(app, "segment_bytes");
  o.job.add(app, "trace");
  app.add_flag("--assignment", o.assignment,
               "The table of the \"Ray AllReduce task\" assignment: 8 ranks, 2^23 float32, 10 "
               "trials");
}

void add_how_to_measure(OptionList app, Options& o) {
  app.add_option("--rounds", "N", o.rounds, "Interleaved rounds: A B C A B C ...");
  app.add_option(
      "--warmup", "N", o.warmup,
      "Untimed iterations over all rounds; else 100 up to 8 KiB and 10 beyond (OSU), cut "
      "to fit --budget");
  app.add_option(
      "--iterations", "N", o.iterations,
      "Timed iterations over all rounds; else 1000 up to 8 KiB and 100 beyond (OSU), cut "
      "to fit --budget");
  app.add_option("--budget", "S", o.budget_s,
                 "Seconds of timed work for one algorithm at one size and number of ranks");
  app.add_option("--give-up", "RATIO", o.give_up,
                 "Measure only once what is this many times slower than the best (0: measure all)");
  o.job.add(app, "timeout_s");
  app.add_option("--csv", "FILE", o.csv, "Write the records as CSV (bandwidths in bytes/s)");
  app.add_option("--records", "FILE", o.records,
                 "Write the records as JSON (bandwidths in bytes/s)");
  o.fit_option =
      app.add_option(
             "--fit", "FILE", o.fit,
             "Fit what COLLECTIVE.auto chooses to this run; without FILE for all later runs "
             "of this user")
          .expected(0, 1);
  app.add_option("--judge", "FILE", o.judge,
                 "Judge a fit of an earlier run (or \"built-in\") by this run's figures");
}

}  // namespace

Action define_profile(OptionList app) {
  const auto options = std::make_shared<Options>();
  options->job.texts["trace"] = "light";
  add_what_to_measure(app, *options);
  add_how_to_measure(app, *options);
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace rankscope::cli
