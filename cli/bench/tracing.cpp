// Measures the cost of recording: collectives with and without it, in turn, and of one event.
#include <numeric>

#include <fmt/format.h>

#include "cli/bench/bench.h"
#include "cli/terminal/text.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/recorder.h"
#include "engine/model/statistics.h"

namespace rankscope::cli {
namespace {

/// Rounds are short and many, since disturbances of a machine last longer than a round.
struct TracingCase {
  std::uint64_t bytes;
  int iterations;  ///< Iterations of a run; a round has two runs of each kind.
  int rounds;
  double most;  ///< Percent of the time without recording.
};
constexpr TracingCase kTracing[] = {{std::uint64_t{1} << 10, 200, 21, 15},
                                    {std::uint64_t{64} << 10, 60, 41, 3},
                                    {std::uint64_t{1} << 20, 15, 21, 3},
                                    {std::uint64_t{32} << 20, 1, 13, 3}};

/// A median and its 95 % confidence interval (bootstrap).
struct Interval {
  double middle = 0, low = 0, high = 0;
  std::size_t rounds = 0;
  std::string text() const {
    return fmt::format("{:+.1f} % ({} rounds, 95 % interval {:+.1f} to {:+.1f})", middle, rounds,
                       low, high);
  }
};
Interval median_of(const std::vector<double>& values) {
  constexpr int kResamples = 2000;
  RandomNumbers random(1);
  std::vector<double> medians, sample(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& one : sample) one = values[random.below(values.size())];
    medians.push_back(median(sample));
  }
  return {median(values), quantile(medians, 0.025), quantile(medians, 0.975), values.size()};
}

JobSpec traced_job(const TracingCase& one) {
  JobSpec spec;
  spec.call.algorithm = "allreduce.auto";
  spec.world.size = 8;
  spec.call.shape = {static_cast<Count>(one.bytes / 4)};
  spec.data.check = false;
  spec.recording.trace_every = true;
  spec.recording.warmup = 1;
  spec.recording.iterations = one.iterations;
  return spec;
}

/// The overhead of a level of recording in each round, in percent of the time without.
struct TracedRounds {
  std::vector<double> medians;  ///< From the median iteration.
  std::vector<double> means;  ///< From all iterations, with the batches that are sent now and then.
};

/// Measures rounds of off, on, on, off, so that a drift affects both alike. Returns nothing when interrupted.
TracedRounds traced_rounds(const TracingCase& one, TraceLevel level, int count,
                           ProcessRunner& runner, const BenchOptions& options,
                           BenchReport& report) {
  NoEvents sink;
  JobSpec spec = traced_job(one);
  TracedRounds rounds;
  for (int round = 0; round < count; ++round) {
    options.progress(
        fmt::format("recording at {}, round {}/{}", format_bytes(one.bytes), round + 1, count));
    std::vector<double> times[2];  // without, with
    for (const int turn : {0, 1, 1, 0}) {
      const bool with = turn != round % 2;
      spec.recording.trace = with ? level : TraceLevel::off;
      const JobResult result = runner.run(spec, sink);
      if (!result.ok()) {
        report.interrupted |= result.status == JobResult::Status::interrupted;
        report.notes.push_back(result.message);
        return {};
      }
      ranges::copy(result.times_s(), std::back_inserter(times[with ? 1 : 0]));
    }
    const auto sum = [](const std::vector<double>& all) {
      return std::accumulate(all.begin(), all.end(), 0.0);
    };
    rounds.medians.push_back(100 * (median(times[1]) / median(times[0]) - 1));
    rounds.means.push_back(100 * (sum(times[1]) / sum(times[0]) - 1));
  }
  return rounds;
}

class Discarded final : public EventSink {
 public:
  void deliver(EventBatch&&) override {}
};

/// Returns the nanoseconds for recording the event of a posted send.
double event_cost(TraceLevel level) {
  constexpr int kEvents = 200'000, kTimes = 9;
  Discarded sink;
  Recorder recorder(0, &sink, nullptr);
  std::vector<double> costs;
  for (int time = 0; time < kTimes; ++time) {
    recorder.begin_job(1, level);
    StepEvent event;
    event.bytes = 1024;
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
    const int rounds = options.quick ? 9 : one.rounds;
    const TracedRounds light =
        traced_rounds(one, TraceLevel::light, rounds, runner, options, report);
    if (light.means.empty()) return;
    const TracedRounds full = traced_rounds(one, TraceLevel::full, 3, runner, options, report);
    if (full.means.empty()) return;
    const Interval cost = median_of(light.medians);
    report.goals.push_back(
        scored_goal(fmt::format("{} over ipc: light tracing costs under {:.0f} %", size, one.most),
                    fmt::format("{}; by the mean {}; full {}", cost.text(),
                                median_of(light.means).text(), median_of(full.medians).text()),
                    (100 + one.most) / (100 + cost.middle), fmt::format("{}-light-tracing", size)));
  }
}

}  // namespace rankscope::cli
