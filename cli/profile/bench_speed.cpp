// Our collectives beside other libraries, and with and without recording.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/profile/bench_goals.h"
#include "cli/profile/profile_report.h"
#include "cli/terminal/text.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/random.h"
#include "engine/core/trace/recorder.h"
#include "engine/model/statistics.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kOneKi = 1024, kOneMi = 1024 * kOneKi;

const ProfileRecord* find(const std::vector<ProfileRecord>& records, std::string_view algorithm,
                          std::string_view transport, std::uint64_t bytes) {
  for (const auto& r : records)
    if (r.ok() && r.bytes == bytes &&
        (r.baseline ? r.algorithm == algorithm && transport.empty()
                    : r.algorithm == algorithm && r.transport == transport))
      return &r;
  return nullptr;
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
struct BesideOther {
  std::string_view what, transport;
  std::uint64_t bytes;
  std::string_view baseline;
  double wanted;
  bool every_round = false;
};
constexpr BesideOther kBesideOthers[] = {
    {"32 MiB over ipc: 1.7 times as fast as Gloo", "ipc", 32 * kOneMi, "gloo", 1.7},
    {"32 MiB over ipc: twice as fast as Gloo", "ipc", 32 * kOneMi, "gloo", 2},
    {"32 MiB over ipc: as fast as Open MPI (shared memory) in every round", "ipc", 32 * kOneMi,
     "openmpi", 1, true},
    {"32 MiB over ipc: within 5 % of a bare ring on ZeroMQ", "ipc", 32 * kOneMi, "zeromq", 0.95},
    {"32 MiB over tcp: as fast as Gloo", "tcp", 32 * kOneMi, "gloo", 1},
    {"32 MiB over tcp: as fast as Open MPI over TCP", "tcp", 32 * kOneMi, "openmpi-tcp", 1},
    {"1 MiB over tcp: as fast as Open MPI over TCP", "tcp", kOneMi, "openmpi-tcp", 1},
    {"1 KiB over ipc: 250 us where Open MPI over TCP takes 260", "ipc", kOneKi, "openmpi-tcp",
     1.04},
    {"1 KiB over tcp: 1/3 as fast as Open MPI over TCP", "tcp", kOneKi, "openmpi-tcp", 1.0 / 3},
    {"1 KiB over ipc: 50 times as fast as Gloo", "ipc", kOneKi, "gloo", 50},
    {"1 KiB over tcp: 50 times as fast as Gloo", "tcp", kOneKi, "gloo", 50},
};

void compare(BenchReport& report, const BesideOther& one) {
  const std::string what(one.what);
  const auto* mine = find(report.records, "allreduce.auto", one.transport, one.bytes);
  const auto* other = find(report.records, one.baseline, "", one.bytes);
  const auto ratios =
      mine == nullptr || other == nullptr ? std::vector<double>() : round_ratios(*mine, *other);
  if (ratios.empty()) {
    report.goals.push_back({what, "not measured", Goal::Verdict::unknown});
    return;
  }
  const double worst = *std::ranges::min_element(ratios), middle = median(ratios);
  std::vector<std::string> shown;
  for (const double ratio : ratios) shown.push_back(format_ratio(ratio));
  report.goals.push_back(
      scored_goal(what,
                  fmt::format("{} ({} against {}; rounds {})", format_ratio(middle),
                              format_seconds(mine->median_s), format_seconds(other->median_s),
                              fmt::join(shown, " ")),
                  (one.every_round ? worst : middle) / one.wanted,
                  fmt::format("{}-{}/{}{}", format_bytes(one.bytes), one.transport, one.baseline,
                              one.every_round ? "-worst" : "")));
}

}  // namespace

void bench_speed(const BenchOptions& options, BenchReport& report) {
  Profiler profiler(bench_profiler(options));
  ProfilePlan plan;
  plan.algorithms = {"allreduce.auto"};
  plan.sizes = {32 * kOneMi, kOneMi, kOneKi};
  plan.transports = {"ipc", "tcp"};
  plan.baselines = {"gloo", "openmpi", "openmpi-tcp", "zeromq"};
  plan.rounds = options.quick ? 3 : 9;
  plan.budget_s = options.quick ? 0.5 : 1.5;
  Profile profile = profiler.run(plan);
  report.interrupted |= profile.interrupted;
  std::ranges::move(profile.records, std::back_inserter(report.records));
  std::ranges::move(profile.notes, std::back_inserter(report.notes));
  for (const BesideOther& one : kBesideOthers) compare(report, one);
}

namespace {

struct TracingCase {
  std::uint64_t bytes;
  int iterations;
  double most;  ///< Of the time without, in %.
};
constexpr TracingCase kTracing[] = {
    {kOneKi, 600, 15}, {64 * kOneKi, 200, 3}, {kOneMi, 50, 3}, {32 * kOneMi, 3, 3}};

/// The median and where it would lie in 95 of 100 repetitions (bootstrap).
struct Interval {
  double middle = 0, low = 0, high = 0;
};
Interval median_of(const std::vector<double>& values) {
  constexpr int kResamples = 2000;
  RandomNumbers random(1);
  std::vector<double> medians, sample(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& one : sample) one = values[random.below(values.size())];
    medians.push_back(median(sample));
  }
  return {median(values), quantile(medians, 0.025), quantile(medians, 0.975)};
}

JobSpec traced_job(const TracingCase& one) {
  JobSpec spec;
  spec.algorithm = "allreduce.auto";
  spec.world_size = 8;
  spec.shape = {static_cast<Count>(one.bytes / 4)};
  spec.check = false;
  spec.trace_every = true;
  spec.warmup = 3;
  spec.iterations = one.iterations;
  return spec;
}

/// Times with light and with full recording over times without, by round; empty: it was not to be.
struct TracedRounds {
  std::vector<double> light, full;
};
TracedRounds traced_rounds(const TracingCase& one, ProcessRunner& runner,
                           const BenchOptions& options, BenchReport& report) {
  constexpr TraceLevel kLevels[] = {TraceLevel::off, TraceLevel::light, TraceLevel::full};
  NoEvents sink;
  JobSpec spec = traced_job(one);
  TracedRounds rounds;
  for (int round = 0; round < (options.quick ? 5 : 15); ++round) {
    options.progress(fmt::format("recording at {}, round {}", format_bytes(one.bytes), round + 1));
    double medians[3] = {};
    for (int i = 0; i < 3; ++i) {  // each goes first as often
      const int turn = (i + round) % 3;
      spec.trace = kLevels[turn];
      const JobResult result = runner.run(spec, sink);
      if (!result.ok()) {
        report.interrupted |= result.status == JobResult::Status::interrupted;
        report.notes.push_back(result.message);
        return {};
      }
      medians[turn] = median(result.times_s());
    }
    rounds.light.push_back(100 * (medians[1] / medians[0] - 1));
    rounds.full.push_back(100 * (medians[2] / medians[0] - 1));
  }
  return rounds;
}

class Discarded final : public EventSink {
 public:
  void deliver(EventBatch&&) override {}
};

/// Nanoseconds to record one event, of a send that is posted.
double event_cost(TraceLevel level) {
  constexpr int kEvents = 200'000, kTimes = 9;
  Discarded sink;
  Recorder recorder(0, &sink, nullptr);
  std::vector<double> costs;
  for (int time = 0; time < kTimes; ++time) {
    recorder.begin_job(1, level);
    StepEvent event;
    event.bytes = kOneKi;
    const auto begin = now_ns();
    for (int i = 0; i < kEvents; ++i) recorder.record(event);
    costs.push_back(static_cast<double>(now_ns() - begin) / kEvents);
  }
  return median(costs);
}

}  // namespace

void bench_tracing(const BenchOptions& options, BenchReport& report) {
  constexpr double kEventGoal = 30;
  const double event = event_cost(TraceLevel::light);
  report.goals.push_back(scored_goal("a light event is recorded in 30 ns",
                                     fmt::format("{:.0f} ns (of 9 times 200,000)", event),
                                     kEventGoal / event, "light-event"));
  ProcessRunner runner(bench_runner(options));
  for (const TracingCase& one : kTracing) {
    const std::string size = format_bytes(one.bytes);
    const TracedRounds rounds = traced_rounds(one, runner, options, report);
    if (rounds.light.empty()) return;
    const Interval light = median_of(rounds.light), full = median_of(rounds.full);
    report.goals.push_back(scored_goal(
        fmt::format("{} over ipc: light tracing costs under {:.0f} %", size, one.most),
        fmt::format(
            "{:+.1f} % (median of {} paired rounds, 95 % interval {:+.1f} to {:+.1f}); full "
            "{:+.1f} % ({:+.1f} to {:+.1f})",
            light.middle, rounds.light.size(), light.low, light.high, full.middle, full.low,
            full.high),
        (100 + one.most) / (100 + light.middle), fmt::format("{}-light-tracing", size)));
  }
}

}  // namespace rankscope::cli
