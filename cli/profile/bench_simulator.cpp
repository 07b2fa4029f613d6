// How many messages a second the simulator carries on one core, as fibers and as a schedule: no data, no trace.
#include <algorithm>

#include <fmt/format.h>

#include "cli/profile/bench_goals.h"
#include "engine/model/statistics.h"
#include "engine/run/sim/sim_runner.h"
#include "engine/run/sim/sim_schedule.h"

namespace rankscope::cli {
namespace {

constexpr double kFiberGoal = 2e6, kScheduleGoal = 3e6;  // messages a second

struct SimulatedCase {
  std::string_view algorithm;
  int ranks;
  int iterations;  ///< Of about a million messages; 0: once, as a schedule.
};
constexpr SimulatedCase kSimulated[] = {{"allreduce.ring", 8, 9000},
                                        {"allreduce.ring", 64, 125},
                                        {"allreduce.bde", 1024, 100},
                                        {"broadcast.binomial", 262'144, 0},
                                        {"allreduce.bde", 65'536, 0}};

/// Messages in a second of the thread's processor time; 0: it was interrupted.
double simulated_rate(const SimulatedCase& one, const BenchOptions& options) {
  JobSpec spec;
  spec.algorithm = one.algorithm;
  spec.world_size = one.ranks;
  spec.shape = {1 << 20};
  spec.transport = kSimTransport;
  spec.ghost = true;
  spec.trace = TraceLevel::off;
  spec.iterations = std::max(1, options.quick ? one.iterations / 5 : one.iterations);
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
        {fmt::format(
             "the simulator carries {:.0f} million messages in a second of one processor: {} "
             "on {} ranks, {}, without data and trace",
             goal / 1e6, one.algorithm, one.ranks,
             fibers ? "as fibers" : "as a schedule that has been recorded"),
         fmt::format("{:.2f} million a second", rate / 1e6),
         rate >= goal ? Goal::Verdict::met : Goal::Verdict::missed});
  }
}

}  // namespace rankscope::cli
