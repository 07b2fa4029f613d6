// Computes the table of k*(N).
#include "engine/training/job/speedup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/base/ranges.h"

namespace rankscope::training {
namespace {

std::vector<TrainingMoment>::const_iterator first_at(const std::vector<TrainingMoment>& log,
                                                     double accuracy) {
  return ranges::find_if(log,
                         [&](const TrainingMoment& one) { return one.accuracy() >= accuracy; });
}

}  // namespace

std::optional<std::int64_t> iterations_to(std::span<const TrainingMoment> log, double accuracy) {
  const auto found =
      ranges::find_if(log, [&](const TrainingMoment& one) { return one.accuracy() >= accuracy; });
  if (found == log.end()) return std::nullopt;
  return found->iteration;
}

Spread spread_of(std::span<const double> values) {
  Spread out;
  if (values.empty()) return out;
  out.count = static_cast<int>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / out.count;
  const auto [least, most] = std::ranges::minmax(values);
  out.least = least;
  out.most = most;
  double squares = 0;
  for (const double one : values) squares += (one - out.mean) * (one - out.mean);
  out.deviation = out.count > 1 ? std::sqrt(squares / (out.count - 1)) : 0;
  return out;
}

std::vector<SpeedupRow> speedup_table(std::span<const FinishedRun> runs, double accuracy) {
  std::map<std::uint64_t, double> alone;  // k*(1) by seed
  std::map<int, std::vector<const FinishedRun*>> by_ranks;
  for (const FinishedRun& run : runs) {
    by_ranks[run.ranks].push_back(&run);
    const auto needed = iterations_to(run.log, accuracy);
    if (run.ranks == 1 && needed) alone[run.seed] = double(*needed);
  }
  std::vector<SpeedupRow> table;
  for (const auto& [ranks, of_size] : by_ranks) {
    SpeedupRow row{.ranks = ranks, .runs = static_cast<int>(of_size.size())};
    std::vector<double> iterations, speedups;
    for (const FinishedRun* run : of_size) {
      const auto reached = first_at(run->log, accuracy);
      if (reached == run->log.end()) continue;
      iterations.push_back(double(reached->iteration));
      row.computing_s += reached->computing_s;
      row.communicating_s += reached->communicating_s;
      row.testing_s += reached->testing_s;
      if (const auto one = alone.find(run->seed); one != alone.end())
        speedups.push_back(one->second / double(reached->iteration));
    }
    row.reached = static_cast<int>(iterations.size());
    if (row.reached > 0) {
      row.computing_s /= row.reached;
      row.communicating_s /= row.reached;
      row.testing_s /= row.reached;
    }
    row.iterations = spread_of(iterations);
    row.speedup = spread_of(speedups);
    table.push_back(row);
  }
  return table;
}

}  // namespace rankscope::training
