// Runs the chosen parts of the bench, and measures starts, the automatic choice and traces.
#include "cli/bench/bench.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "cli/bench/trace_speed.h"
#include "cli/profile/profile_report.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/model/auto_choice.h"
#include "engine/model/statistics.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope::cli {

std::string rankscope_program() {
  if (const char* const named = std::getenv(kBenchedProgram); named != nullptr && *named != '\0')
    return named;
  return (std::filesystem::path(own_program()).parent_path() / "rankscope").string();
}

bool bench_interrupted(const BenchOptions& options) {
  pollfd fd{options.interrupt_fd, POLLIN, 0};
  return options.interrupt_fd >= 0 && ::poll(&fd, 1, 0) > 0;
}

RunnerOptions bench_runner(const BenchOptions& options) {
  RunnerOptions runner;
  runner.program = rankscope_program();
  runner.interrupt_fd = options.interrupt_fd;
  return runner;
}

Profiler::Options bench_profiler(const BenchOptions& options) {
  Profiler::Options out;
  out.runner = bench_runner(options);
  out.on_progress = [&options](const ProfileProgress& progress) {
    options.progress(
        fmt::format("round {}/{}: {}", progress.round, progress.rounds, progress.what));
  };
  return out;
}

Goal scored_goal(std::string what, std::string figure, double score, std::string key) {
  return {std::move(what), std::move(figure),
          score >= 1 ? Goal::Verdict::met : Goal::Verdict::missed, std::move(key), score};
}

Goal speed_goal(std::string what, const ProfileRecord* mine, const ProfileRecord* other,
                double wanted, bool every_round, std::string key) {
  std::vector<double> ratios;
  if (mine != nullptr && other != nullptr)
    for (std::size_t i = 0; i < std::min(mine->round_median_s.size(), other->round_median_s.size());
         ++i)
      ratios.push_back(other->round_median_s[i] / mine->round_median_s[i]);
  if (ratios.empty()) return {std::move(what), "not measured"};
  const double worst = *ranges::min_element(ratios), middle = median(ratios);
  std::vector<std::string> shown;
  for (const double ratio : ratios) shown.push_back(format_ratio(ratio));
  return scored_goal(std::move(what),
                     fmt::format("{} ({} by {} against {}; rounds {})", format_ratio(middle),
                                 format_seconds(mine->median_s), mine->chosen,
                                 format_seconds(other->median_s), fmt::join(shown, " ")),
                     (every_round ? worst : middle) / wanted, std::move(key));
}

namespace {

constexpr std::uint64_t kMi = 1024 * 1024;

// Returns the seconds from the start of `rankscope run` to its end; -1 when it failed.
double cold_run(const std::filesystem::path& folder) {
  const std::string program = rankscope_program(), trace = (folder / "cold.rankscope").string();
  const auto begin = now_ns();
  Subprocess run({.words = {program, "run", "allreduce.ring", "-n", "8", "--count", "64", "--quiet",
                            "-o", trace},
                  .own_group = false});
  return run.wait(Deadline::never()) == 0 ? static_cast<double>(now_ns() - begin) * 1e-9 : -1;
}

void bench_second_run(const BenchOptions& options, BenchReport& report) {
  options.progress("the start of a second run");
  ProcessRunner runner(bench_runner(options));
  NoEvents sink;
  JobSpec spec;
  spec.world.size = 8;
  spec.call.shape = {64};
  std::vector<double> starts;
  for (int i = 0; i < 21; ++i) {
    const JobResult result = runner.run(spec, sink);
    if (!result.ok()) return;
    if (i > 0) starts.push_back(result.start_s);
  }
  const Summary s = summarize(starts);
  report.goals.push_back(scored_goal("a second run starts within 5 ms of the request",
                                     fmt::format("{} (of 20: {} to {})", format_seconds(s.median),
                                                 format_seconds(s.min), format_seconds(s.max)),
                                     5e-3 / s.median, "second-run"));
}

/// Measures a second run on running workers, and a run from nothing.
void bench_starts(const BenchOptions& options, BenchReport& report) {
  bench_second_run(options, report);
  options.progress("a run from nothing");
  const ScratchFolder folder("bench");
  std::vector<double> times;
  for (int i = 0; i < (options.quick ? 3 : 9) && !bench_interrupted(options); ++i)
    if (const double time = cold_run(folder.path()); time > 0) times.push_back(time);
  if (times.empty()) return;
  const Summary s = summarize(times);
  report.goals.push_back(
      scored_goal("a cold `rankscope run allreduce.ring -n 8 --count 64` ends in 0.5 s",
                  fmt::format("{} ({} to {})", format_seconds(s.median), format_seconds(s.min),
                              format_seconds(s.max)),
                  0.5 / s.median, "cold-run"));
}

/// Judges a choice that was fitted on one run by another run.
void bench_choice(const BenchOptions& options, BenchReport& report) {
  ProfilePlan plan;
  for (const auto& algorithm : algorithms())
    if (algorithm.collective == Collective::allreduce) plan.algorithms.emplace_back(algorithm.name);
  const std::uint64_t factor = options.thorough ? 8 : 32;
  for (std::uint64_t size = 8; size < 64 * kMi; size *= factor) plan.sizes.push_back(size);
  plan.sizes.push_back(64 * kMi);
  plan.world_sizes = {2, 4, 8};
  plan.rounds = options.quick ? 5 : 9;
  plan.budget_s = options.thorough ? 0.5 : 0.1;
  plan.give_up_beyond = options.quick ? 2.5 : 1.6;
  std::vector<ChoiceSample> runs[2];
  for (int run = 0; run < 2; ++run) {
    Profiler::Options profiler_options;
    profiler_options.runner = bench_runner(options);
    profiler_options.on_progress = [&](const ProfileProgress& p) {
      options.progress(fmt::format("the automatic choice, run {} of 2, point {} of {}: {}", run + 1,
                                   p.done + 1, p.total, p.what));
    };
    const Profile profile = Profiler(profiler_options).run(plan);
    report.interrupted |= profile.interrupted;
    if (profile.interrupted) return;
    runs[run] = samples_of(profile.records);
  }
  const auto say = [&](const std::string& what, const std::string& key, const ChoiceTable& table) {
    const auto quality = judge_choice(table, runs[1]);
    report.goals.push_back(scored_goal(
        fmt::format("{} is within 10 % of the best in 90 % of the grid", what),
        fmt::format("{} of {} points ({:.0f} %), at the worst {} the best's time", quality.within,
                    quality.points, 100 * quality.share(), format_ratio(quality.worst)),
        quality.share() / 0.9, key));
    for (const auto& miss : quality.misses)
      report.notes.push_back(fmt::format("{} missed at {} ranks and {}: {} took {} the time of {}",
                                         what, miss.np, format_bytes(miss.bytes), miss.chosen,
                                         format_ratio(miss.ratio), miss.best));
  };
  say("a choice fitted on one run, judged on another,", "choice-fitted", ChoiceTable::fit(runs[0]));
  say("the choice that is compiled in", "choice-built-in", ChoiceTable::built_in());
}

/// Notes how fast traces are recorded, opened and scrubbed; no goal depends on it.
void bench_traces(const BenchOptions& options, BenchReport& report) {
  options.progress("recording, opening and seeking a trace");
  const auto r =
      bench_trace(options.quick ? 200'000 : 1'000'000, std::filesystem::temp_directory_path());
  report.notes.push_back(fmt::format(
      "Traces: {} events recorded at {:.0f} a second; opened in {}; a seek takes {} (at the worst "
      "{}); held in parts it opens in {}, without a summary in {} and the next time in {}",
      r.events, r.recorded_per_s, format_seconds(r.open_s), format_seconds(r.seek_mean_s),
      format_seconds(r.seek_worst_s), format_seconds(r.streamed_open_s),
      format_seconds(r.estimated_open_s), format_seconds(r.kept_open_s)));
}

}  // namespace

BenchReport run_bench(const BenchOptions& options) {
  using Part = void (*)(const BenchOptions&, BenchReport&);
  static constexpr std::array<Part, kBenchParts.size()> kParts{
      bench_speed,  bench_shm,    bench_tracing,  bench_watching,  bench_starts,
      bench_choice, bench_traces, bench_training, bench_simulator, bench_grading};
  for (const std::string& name : options.parts)
    if (ranges::find(kBenchParts, name) == kBenchParts.end())
      throw UserError(
          fmt::format("bench has no part '{}'; there are {}", name, fmt::join(kBenchParts, ", ")));
  const auto wanted = [&](std::string_view part) {
    if (options.parts.empty()) return options.thorough || part != "choice";
    return ranges::find(options.parts, part) != options.parts.end();
  };
  const auto all = ranges::count_if(kBenchParts, wanted);
  BenchReport report;
  const std::int64_t begin = now_ns();
  int number = 0;
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    if (!wanted(kBenchParts[part])) continue;
    if (report.interrupted || bench_interrupted(options)) {
      report.interrupted = true;
      break;
    }
    BenchOptions of_part = options;
    const std::string head = fmt::format("{}/{} {}", ++number, all, kBenchParts[part]);
    of_part.progress = [&](const std::string& what) {
      options.progress(fmt::format("{:3.0f} s  {}: {}",
                                   static_cast<double>(now_ns() - begin) * 1e-9, head, what));
    };
    if (options.on_part) options.on_part(head);
    kParts[part](of_part, report);
  }
  report.seconds = static_cast<double>(now_ns() - begin) * 1e-9;
  if (options.parts.empty() && !options.thorough)
    report.notes.emplace_back(
        "Left out, as it takes ten minutes: how good the automatic choice is (`rankscope bench "
        "choice`, or --thorough)");
  return report;
}

}  // namespace rankscope::cli
