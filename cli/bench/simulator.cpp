// Measures the messages per second of the simulator on one core, as fibers and as a schedule, without data and trace;
// and compares speed and finish times with SimGrid's SMPI.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "cli/bench/bench.h"
#include "engine/core/base/ranges.h"
#include "engine/model/statistics.h"
#include "engine/run/profile/smpi_peer.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::cli {
namespace {

constexpr double kFiberGoal = 2e6, kScheduleGoal = 3e6;  // messages a second

struct SimulatedCase {
  std::string_view algorithm;
  int ranks;
  int iterations;  ///< Enough for about a million messages; 0 for one run, as a schedule.
};
constexpr SimulatedCase kSimulated[] = {{"allreduce.ring", 8, 9000},
                                        {"allreduce.ring", 64, 125},
                                        {"allreduce.bde", 1024, 100},
                                        {"broadcast.binomial", 262'144, 0},
                                        {"allreduce.bde", 65'536, 0}};

/// Returns the messages per second of the thread's processor time; 0 when interrupted.
double simulated_rate(const SimulatedCase& one, const BenchOptions& options) {
  JobSpec spec;
  spec.call.algorithm = one.algorithm;
  spec.world.size = one.ranks;
  spec.call.shape = {1 << 20};
  spec.transport.name = kSimTransport;
  spec.network.ghost = true;
  spec.recording.trace = TraceLevel::off;
  spec.recording.iterations = std::max(1, options.quick ? one.iterations / 5 : one.iterations);
  const auto rate_of = [](const SimSummary& summary) {
    return static_cast<double>(summary.messages) / summary.processor_s;
  };
  if (one.iterations == 0) {
    const ScheduledRun run = simulate_schedule(spec, {options.interrupt_fd});
    return run.interrupted ? 0 : rate_of(run.summary);
  }
  RunnerOptions runner_options;
  runner_options.interrupt_fd = options.interrupt_fd;
  SimRunner runner(std::move(runner_options));
  NoEvents nowhere;
  const JobResult result = runner.run(spec, nowhere);
  if (!result.ok()) return 0;
  return rate_of(runner.summary());
}

constexpr double kTimesSmpi = 10, kMostDeviation = 0.01;
constexpr std::chrono::minutes kSmpiLimit{10};

/// Rings, each with four times the messages of the one before it; kMostGrowth is the most that a message of the last may
/// cost compared with one of the first.
constexpr int kGrowingRings[] = {256, 512, 1024, 2048};
constexpr double kMostGrowth = 2;

/// A ring recorded and replayed as the command does it: messages and processor seconds.
struct GrownRing {
  int ranks;
  double messages, seconds;
  double nanoseconds() const { return 1e9 * seconds / messages; }
};

std::optional<GrownRing> time_ring(int ranks, const BenchOptions& options) {
  JobSpec spec;
  spec.call.algorithm = "allreduce.ring";
  spec.world.size = ranks;
  spec.call.shape = {1 << 18};
  spec.transport.name = kSimTransport;
  spec.network.ghost = true;
  spec.recording.trace = TraceLevel::off;
  const std::clock_t start = std::clock();
  const ScheduledRun run = simulate_schedule(spec, {options.interrupt_fd});
  if (run.interrupted) return std::nullopt;
  return GrownRing{ranks, static_cast<double>(run.summary.messages),
                   static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
}

/// Draws bars on a logarithmic axis: where cost follows messages, which grow fourfold, each bar is eight cells longer
/// than the one above it.
std::string growth_plot(const std::vector<GrownRing>& rings) {
  std::string text =
      "A ring allreduce as a schedule, recorded and replayed; a bar is twice as long after four "
      "doublings:\n";
  for (const GrownRing& ring : rings) {
    const double doublings = std::log2(ring.seconds / rings.front().seconds);
    const auto cells = static_cast<std::size_t>(std::max(1.0, std::round(16 + 4 * doublings)));
    text += fmt::format("\n  {:>5} ranks {:>11.0f} messages  {:<42}{:>8.3f} s {:>5.0f} ns each",
                        ring.ranks, ring.messages, std::string(cells, '#'), ring.seconds,
                        ring.nanoseconds());
  }
  return text;
}

void bench_growth(const BenchOptions& options, BenchReport& report) {
  std::vector<GrownRing> rings;
  for (const int ranks : kGrowingRings) {
    options.progress(fmt::format("how cost grows with messages: a ring of {}", ranks));
    const auto ring = time_ring(ranks, options);
    if (!ring) {
      report.interrupted = true;
      return;
    }
    rings.push_back(*ring);
  }
  const double growth = rings.back().nanoseconds() / rings.front().nanoseconds();
  report.goals.push_back(
      {fmt::format("the cost of a simulation grows with its messages: from {:.0f} to {:.0f} of "
                   "them, one message costs at most {:.0f} times as much",
                   rings.front().messages, rings.back().messages, kMostGrowth),
       fmt::format("{:.2f} times ({:.0f} and {:.0f} ns)", growth, rings.front().nanoseconds(),
                   rings.back().nanoseconds()),
       growth <= kMostGrowth ? Goal::Verdict::met : Goal::Verdict::missed});
  report.notes.push_back(growth_plot(rings));
}

std::string messages_text(double rate) { return fmt::format("{:.3g} million/s", rate / 1e6); }

/// Compares messages per second with SMPI's, one run of each in turn.
void race_smpi(const SmpiPlatform& platform, int ranks, const SmpiCase& one, int rounds,
               const BenchOptions& options, BenchReport& report) {
  std::vector<double> factors, ours, theirs;
  for (int round = 0; round < rounds; ++round) {
    options.progress(fmt::format("the simulator beside SMPI: {} on {} ranks, {}, {} of {}",
                                 one.algorithm, ranks, platform.name, round + 1, rounds));
    const auto smpi = run_smpi(platform.topology, ranks, {one}, Deadline::in(kSmpiLimit)).front();
    const SimulatedTime here = simulate_as_smpi(platform.topology, ranks, one);
    const auto messages = static_cast<double>(here.messages);
    ours.push_back(messages / here.wall_s);
    theirs.push_back(messages / smpi.wall_s);
    factors.push_back(smpi.wall_s / here.wall_s);
  }
  const double factor = median(factors);
  report.goals.push_back(
      {fmt::format("the simulator carries 10 times the messages a second of SimGrid's SMPI: {} on "
                   "{} ranks, {}",
                   one.algorithm, ranks, platform.name),
       fmt::format("{:.1f}x (rounds: {:.1f}x to {:.1f}x; {} and {})", factor,
                   *ranges::min_element(factors), *ranges::max_element(factors),
                   messages_text(median(ours)), messages_text(median(theirs))),
       factor >= kTimesSmpi ? Goal::Verdict::met : Goal::Verdict::missed});
}

/// Returns a table of the largest deviation by platform and ranks.
std::string deviations_text(const std::vector<SmpiDeviation>& all, const std::vector<int>& ranks) {
  std::string text = "Largest deviation of a finish time from SMPI's, by platform and ranks:\n\n  ";
  text += fmt::format("{:<10}", "");
  for (const int n : ranks) text += fmt::format("{:>10}", n);
  for (const SmpiPlatform& platform : smpi_platforms(2)) {
    text += fmt::format("\n  {:<10}", platform.name);
    for (const int n : ranks) {
      double largest = 0;
      for (const SmpiDeviation& one : all)
        if (one.platform == platform.name && one.ranks == n)
          largest = std::max(largest, std::abs(one.part()));
      text += fmt::format("{:>8.3f} %", 100 * largest);
    }
  }
  return text;
}

void compare_times(const BenchOptions& options, BenchReport& report) {
  const std::vector<int> ranks =
      options.quick ? std::vector{4, 16} : std::vector{2, 3, 4, 8, 16, 32, 64};
  std::vector<SmpiDeviation> all;
  for (const int n : ranks) {
    options.progress(fmt::format("finish times beside SMPI: {} ranks", n));
    const auto some = compare_with_smpi(n, {1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20},
                                        Deadline::in(kSmpiLimit));
    all.insert(all.end(), some.begin(), some.end());
  }
  const auto worst =
      ranges::max_element(all, {}, [](const SmpiDeviation& one) { return std::abs(one.part()); });
  const auto within = ranges::count_if(
      all, [](const SmpiDeviation& one) { return std::abs(one.part()) <= kMostDeviation; });
  report.goals.push_back(
      {"simulated finish times are within 1 % of SimGrid's SMPI, with and without shared links",
       fmt::format("{} of {}; largest: {:+.3f} % ({} of {} bytes on {} ranks, {})", within,
                   all.size(), 100 * worst->part(), worst->one.algorithm, worst->one.bytes,
                   worst->ranks, worst->platform),
       within == std::ssize(all) ? Goal::Verdict::met : Goal::Verdict::missed});
  report.notes.push_back(deviations_text(all, ranks));
}

void bench_beside_smpi(const BenchOptions& options, BenchReport& report) {
  if (const std::string missing = what_smpi_lacks(); !missing.empty()) {
    report.notes.push_back(missing);
    return;
  }
  const int rounds = options.quick ? 3 : 5;
  for (const SmpiPlatform& platform : smpi_platforms(64))
    if (platform.name == "uniform" || platform.name == "torus")
      race_smpi(platform, 64, {"allreduce.ring", 1 << 20, options.quick ? 4 : 16}, rounds, options,
                report);
  compare_times(options, report);
}

}  // namespace

void bench_simulator(const BenchOptions& options, BenchReport& report) {
  constexpr int kRounds = 3;
  for (const SimulatedCase& one : kSimulated) {
    std::vector<double> rates;
    for (int round = 0; round < kRounds; ++round) {
      options.progress(fmt::format("the simulator: {} on {} ranks, {} of {}", one.algorithm,
                                   one.ranks, round + 1, kRounds));
      const double rate = simulated_rate(one, options);
      if (rate == 0) {
        report.interrupted = true;
        return;
      }
      rates.push_back(rate);
    }
    const double rate = median(rates);
    const bool fibers = one.iterations > 0;
    const double goal = fibers ? kFiberGoal : kScheduleGoal;
    report.goals.push_back(
        {fmt::format("the simulator carries {:.0f} million messages in a second of one processor: "
                     "{} on {} ranks, {}, without data and trace",
                     goal / 1e6, one.algorithm, one.ranks,
                     fibers ? "as fibers" : "as a schedule that has been recorded"),
         fmt::format("{:.2f} million a second", rate / 1e6),
         rate >= goal ? Goal::Verdict::met : Goal::Verdict::missed});
  }
  bench_growth(options, report);
  if (!report.interrupted) bench_beside_smpi(options, report);
}

}  // namespace rankscope::cli
