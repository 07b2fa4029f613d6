// k*(N): how many iterations N workers need, over several seeds, and the speedup k*(1)/k*(N) that the homework asks
// for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/training/job/training_run.h"

namespace rankscope::training {

/// Returns the first iteration at which the run had reached the accuracy; nullopt if it never did.
std::optional<std::int64_t> iterations_to(std::span<const TrainingMoment> log, double accuracy);

/// Mean, sample standard deviation (0 for a single value) and range of measured values.
struct Spread {
  int count = 0;
  double mean = 0, deviation = 0, least = 0, most = 0;
};
Spread spread_of(std::span<const double> values);

/// One world size of the table.
struct SpeedupRow {
  int ranks = 0;
  int runs = 0;     ///< Number of runs.
  int reached = 0;  ///< Number of runs that reached the accuracy.
  Spread iterations = {};
  /// k*(1)/k*(N) for each seed that reached the accuracy both with one worker and with N.
  Spread speedup = {};
  /// Rank 0's seconds to k*, averaged over the runs that reached it.
  double computing_s = 0, communicating_s = 0, testing_s = 0;
};

struct FinishedRun {
  int ranks = 0;
  std::uint64_t seed = 0;
  std::vector<TrainingMoment> log;
};

/// Returns the rows by ascending world size. Seeds may be missing from some sizes.
std::vector<SpeedupRow> speedup_table(std::span<const FinishedRun> runs, double accuracy);

}  // namespace rankscope::training
