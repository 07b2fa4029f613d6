// Measures each speed goal that `rankscope bench` checks and compares it with its limit.
#include "cli/profile/bench_goals.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "cli/profile/bench_trace.h"
#include "cli/profile/profile_report.h"
#include "cli/terminal/text.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/model/auto_choice.h"
#include "engine/model/statistics.h"
#include "engine/run/job/choice_file.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kKi = 1024, kMi = 1024 * kKi;

bool interrupted(const BenchOptions& options) {
  pollfd fd{options.interrupt_fd, POLLIN, 0};
  return options.interrupt_fd >= 0 && ::poll(&fd, 1, 0) > 0;
}

RunnerOptions runner_options(const BenchOptions& options) {
  RunnerOptions runner;
  runner.interrupt_fd = options.interrupt_fd;
  return runner;
}

const ProfileRecord* find(const std::vector<ProfileRecord>& records, std::string_view algorithm,
                          std::string_view transport, std::uint64_t bytes) {
  for (const auto& r : records)
    if (r.ok() && r.bytes == bytes &&
        (r.baseline ? r.algorithm == algorithm && transport.empty()
                    : r.algorithm == algorithm && r.transport == transport))
      return &r;
  return nullptr;
}

Goal goal(std::string what, std::string figure, bool met) {
  return {std::move(what), std::move(figure), met ? Goal::Verdict::met : Goal::Verdict::missed};
}

// Speed against a baseline in each round.
std::vector<double> round_ratios(const ProfileRecord& mine, const ProfileRecord& other) {
  std::vector<double> ratios;
  const auto rounds = std::min(mine.round_median_s.size(), other.round_median_s.size());
  for (std::size_t i = 0; i < rounds; ++i)
    ratios.push_back(other.round_median_s[i] / mine.round_median_s[i]);
  return ratios;
}

// "at least `wanted` times as fast as the baseline", in every round or in the median.
void compare(BenchReport& report, const std::string& what, std::string_view transport,
             std::uint64_t bytes, std::string_view baseline, double wanted, bool every_round) {
  const auto* mine = find(report.records, "allreduce.auto", transport, bytes);
  const auto* other = find(report.records, baseline, "", bytes);
  if (mine == nullptr || other == nullptr) {
    report.goals.push_back({what, "not measured", Goal::Verdict::unknown});
    return;
  }
  const auto ratios = round_ratios(*mine, *other);
  if (ratios.empty()) return;
  const double worst = *std::ranges::min_element(ratios), middle = median(ratios);
  std::vector<std::string> shown;
  for (const double ratio : ratios) shown.push_back(format_ratio(ratio));
  const bool met = every_round ? worst > wanted : middle >= wanted;
  report.goals.push_back(goal(what,
                              fmt::format("{} ({} against {}; rounds {})", format_ratio(middle),
                                          format_seconds(mine->median_s),
                                          format_seconds(other->median_s), fmt::join(shown, " ")),
                              met));
}

}  // namespace

void bench_speed(const BenchOptions& options, BenchReport& report) {
  Profiler::Options profiler_options;
  profiler_options.runner = runner_options(options);
  profiler_options.on_progress = [&](const ProfileProgress& progress) {
    options.progress(
        fmt::format("round {}/{}: {}", progress.round, progress.rounds, progress.what));
  };
  Profiler profiler(profiler_options);
  ProfilePlan plan;
  plan.algorithms = {"allreduce.auto"};
  plan.sizes = {32 * kMi, kMi, kKi};
  plan.transports = {"ipc", "tcp"};
  plan.baselines = {"gloo", "openmpi", "openmpi-tcp"};
  plan.rounds = options.quick ? 3 : 7;
  plan.budget_s = options.quick ? 1 : 4;
  Profile profile = profiler.run(plan);
  report.interrupted |= profile.interrupted;
  std::ranges::move(profile.records, std::back_inserter(report.records));
  std::ranges::move(profile.notes, std::back_inserter(report.notes));
  compare(report, "32 MiB over ipc: faster than Gloo in every round", "ipc", 32 * kMi, "gloo", 1,
          true);
  compare(report, "32 MiB over ipc: twice as fast as Gloo", "ipc", 32 * kMi, "gloo", 2, false);
  compare(report, "32 MiB over ipc: faster than Open MPI (shared memory) in every round", "ipc",
          32 * kMi, "openmpi", 1, true);
  compare(report, "32 MiB over tcp: faster than Gloo", "tcp", 32 * kMi, "gloo", 1, false);
  compare(report, "32 MiB over tcp: faster than Open MPI over TCP", "tcp", 32 * kMi, "openmpi-tcp",
          1, false);
  compare(report, "1 MiB over tcp: at least as fast as Open MPI over TCP", "tcp", kMi,
          "openmpi-tcp", 1, false);
  compare(report, "1 KiB over tcp: within 3 times Open MPI over TCP", "tcp", kKi, "openmpi-tcp",
          1.0 / 3, false);
  compare(report, "1 KiB over ipc: within 3 times Open MPI over TCP", "ipc", kKi, "openmpi-tcp",
          1.0 / 3, false);
  compare(report, "1 KiB over ipc: 50 times as fast as Gloo", "ipc", kKi, "gloo", 50, false);
  compare(report, "1 KiB over tcp: 50 times as fast as Gloo", "tcp", kKi, "gloo", 50, false);
}

void bench_tracing(const BenchOptions& options, BenchReport& report) {
  ProcessRunner runner(runner_options(options));
  NoEvents sink;
  for (const std::uint64_t bytes : {kMi, 32 * kMi}) {
    const std::string size = format_bytes(bytes);
    JobSpec spec;
    spec.algorithm = "allreduce.auto";
    spec.world_size = 8;
    spec.shape = {static_cast<Count>(bytes / 4)};
    spec.check = false;
    spec.trace_every = true;
    spec.warmup = 3;
    spec.iterations = bytes == kMi ? 60 : 6;
    std::vector<double> ratios;
    for (int round = 0; round < (options.quick ? 5 : 15); ++round) {
      options.progress(fmt::format("tracing at {}, round {}", size, round + 1));
      double medians[2] = {};
      for (const int turn : {round % 2, 1 - round % 2}) {  // each goes first as often
        spec.trace = turn == 0 ? TraceLevel::off : TraceLevel::light;
        const JobResult result = runner.run(spec, sink);
        if (!result.ok()) {
          report.interrupted |= result.status == JobResult::Status::interrupted;
          report.notes.push_back(result.message);
          return;
        }
        medians[turn] = median(result.times_s());
      }
      ratios.push_back(medians[1] / medians[0]);
    }
    const double cost = 100 * (median(ratios) - 1);
    report.goals.push_back(
        goal(fmt::format("{} over ipc: light tracing costs under 5 %", size),
             fmt::format("{:+.1f} % (middle half of the rounds {:+.1f} to {:+.1f})", cost,
                         100 * (quantile(ratios, 0.25) - 1), 100 * (quantile(ratios, 0.75) - 1)),
             cost < 5));
  }
}

namespace {

// Seconds from the start of `rankscope run` to its end; negative when it failed.
double cold_run(const std::filesystem::path& folder) {
  const std::string program = own_program(), trace = (folder / "cold.rankscope").string();
  const auto begin = now_ns();
  Subprocess run({.words = {program, "run", "allreduce.ring", "-n", "8", "--count", "64", "--quiet",
                            "-o", trace},
                  .own_group = false});
  return run.wait(Deadline::never()) == 0 ? static_cast<double>(now_ns() - begin) * 1e-9 : -1;
}

void bench_second_run(const BenchOptions& options, BenchReport& report) {
  options.progress("the start of a second run");
  ProcessRunner runner(runner_options(options));
  NoEvents sink;
  JobSpec spec;
  spec.world_size = 8;
  spec.shape = {64};
  std::vector<double> starts;
  for (int i = 0; i < 21; ++i) {
    const JobResult result = runner.run(spec, sink);
    if (!result.ok()) return;
    if (i > 0) starts.push_back(result.start_s);
  }
  const Summary s = summarize(starts);
  report.goals.push_back(goal("a second run starts within 5 ms of the request",
                              fmt::format("{} (of 20: {} to {})", format_seconds(s.median),
                                          format_seconds(s.min), format_seconds(s.max)),
                              s.median < 5e-3));
}

}  // namespace

void bench_starts(const BenchOptions& options, BenchReport& report) {
  bench_second_run(options, report);
  options.progress("a run from nothing");
  const ScratchFolder folder("bench");
  std::vector<double> times;
  for (int i = 0; i < (options.quick ? 3 : 7) && !interrupted(options); ++i)
    if (const double time = cold_run(folder.path()); time > 0) times.push_back(time);
  if (times.empty()) return;
  const Summary s = summarize(times);
  report.goals.push_back(goal("a cold `rankscope run allreduce.ring -n 8 --count 64` ends in 0.5 s",
                              fmt::format("{} ({} to {})", format_seconds(s.median),
                                          format_seconds(s.min), format_seconds(s.max)),
                              s.median < 0.5));
}

void bench_choice(const BenchOptions& options, BenchReport& report) {
  ProfilePlan plan;
  for (const auto& algorithm : algorithms())
    if (algorithm.collective == Collective::allreduce) plan.algorithms.emplace_back(algorithm.name);
  const std::uint64_t factor = options.quick ? 32 : 8;
  for (std::uint64_t size = 8; size < 64 * kMi; size *= factor) plan.sizes.push_back(size);
  plan.sizes.push_back(64 * kMi);
  plan.world_sizes = {2, 4, 8};
  plan.rounds = options.quick ? 5 : 9;
  plan.budget_s = options.quick ? 0.1 : 0.5;
  plan.give_up_beyond = options.quick ? 2.5 : 1.6;
  std::vector<ChoiceSample> runs[2];
  for (int run = 0; run < 2; ++run) {
    Profiler::Options profiler_options;
    profiler_options.runner = runner_options(options);
    profiler_options.on_progress = [&](const ProfileProgress& p) {
      options.progress(fmt::format("the automatic choice, run {} of 2, point {} of {}: {}", run + 1,
                                   p.done + 1, p.total, p.what));
    };
    const Profile profile = Profiler(profiler_options).run(plan);
    report.interrupted |= profile.interrupted;
    if (profile.interrupted) return;
    runs[run] = samples_of(profile.records);
  }
  const auto say = [&](const std::string& what, const ChoiceTable& table) {
    const auto quality = judge_choice(table, runs[1]);
    report.goals.push_back(goal(
        fmt::format("{} is within 10 % of the best in 90 % of the grid", what),
        fmt::format("{} of {} points ({:.0f} %), at the worst {} the best's time", quality.within,
                    quality.points, 100 * quality.share(), format_ratio(quality.worst)),
        quality.share() >= 0.9));
    for (const auto& miss : quality.misses)
      report.notes.push_back(fmt::format("{} missed at {} ranks and {}: {} took {} the time of {}",
                                         what, miss.np, format_bytes(miss.bytes), miss.chosen,
                                         format_ratio(miss.ratio), miss.best));
  };
  say("a choice fitted on one run, judged on another,", ChoiceTable::fit(runs[0]));
  say("the choice that is compiled in", ChoiceTable::built_in());
}

void bench_traces(const BenchOptions& options, BenchReport& report) {
  options.progress("recording, opening and seeking a trace");
  const auto r =
      bench_trace(options.quick ? 200'000 : 1'000'000, std::filesystem::temp_directory_path());
  report.notes.push_back(fmt::format(
      "Traces: {} events recorded at {:.0f} a second; opened in {}; a seek takes {} (at the worst "
      "{})",
      r.events, r.recorded_per_s, format_seconds(r.open_s), format_seconds(r.seek_mean_s),
      format_seconds(r.seek_worst_s)));
}

std::span<const BenchPart> bench_parts() {
  static constexpr BenchPart parts[] = {
      {"speed", bench_speed},       {"shm", bench_shm},
      {"tracing", bench_tracing},   {"starts", bench_starts},
      {"choice", bench_choice},     {"traces", bench_traces},
      {"training", bench_training}, {"simulator", bench_simulator},
      {"grading", bench_grading}};
  return parts;
}

BenchReport run_bench(const BenchOptions& options) {
  for (const std::string& name : options.parts)
    if (std::ranges::find(bench_parts(), name, &BenchPart::name) == bench_parts().end())
      throw UserError(
          fmt::format("bench has no part '{}'; there are {}", name,
                      fmt::join(bench_parts() | std::views::transform(&BenchPart::name), ", ")));
  BenchReport report;
  for (const BenchPart& part : bench_parts()) {
    if (!options.parts.empty() &&
        std::ranges::find(options.parts, part.name) == options.parts.end())
      continue;
    if (report.interrupted || interrupted(options)) {
      report.interrupted = true;
      break;
    }
    part.run(options, report);
  }
  return report;
}

}  // namespace rankscope::cli
