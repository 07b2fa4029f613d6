// How many messages a second the simulator carries on one core: fibers, no data, no trace.
#include <algorithm>

#include <fmt/format.h>

#include "cli/profile/bench_goals.h"
#include "engine/model/statistics.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::cli {
namespace {

constexpr double kGoal = 2e6;  // messages a second

struct SimulatedCase {
  std::string_view algorithm;
  int ranks;
  int iterations;  ///< Of about a million messages.
};
constexpr SimulatedCase kSimulated[] = {
    {"allreduce.ring", 8, 9000}, {"allreduce.ring", 64, 125}, {"allreduce.bde", 1024, 100}};

/// Messages a second; 0: it was interrupted.
double simulated_rate(const SimulatedCase& one, const BenchOptions& options) {
  JobSpec spec;
  spec.algorithm = one.algorithm;
  spec.world_size = one.ranks;
  spec.shape = {1 << 20};
  spec.transport = kSimTransport;
  spec.ghost = true;
  spec.trace = TraceLevel::off;
  spec.iterations = options.quick ? std::max(1, one.iterations / 5) : one.iterations;
  RunnerOptions runner_options;
  runner_options.interrupt_fd = options.interrupt_fd;
  SimRunner runner(std::move(runner_options));
  NoEvents nowhere;
  const JobResult result = runner.run(spec, nowhere);
  if (!result.ok()) return 0;
  return static_cast<double>(runner.summary().messages) / runner.summary().took_s;
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
    report.goals.push_back(
        {fmt::format("the simulator carries 2 million messages a second: {} on {} ranks, as "
                     "fibers, without data and trace",
                     one.algorithm, one.ranks),
         fmt::format("{:.2f} million a second", rate / 1e6),
         rate >= kGoal ? Goal::Verdict::met : Goal::Verdict::missed});
  }
}

}  // namespace rankscope::cli
