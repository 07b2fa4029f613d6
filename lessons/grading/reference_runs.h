// Runs of a training for several world sizes and seeds, as `rankscope train` writes them to runs.csv: what a table of k*(N)
// that somebody else measured is compared with.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

/// What one more run may need, by the runs that were made.
struct Range99 {
  double least = 0, most = 0;
  bool holds(double value) const noexcept { return value >= least && value <= most; }
};

/// The runs of one world size.
struct ReferenceRow {
  int ranks = 0;
  int runs = 0;                    ///< So many were made;
  std::vector<double> iterations;  ///< k* of those that reached the accuracy.
  double seconds = 0;              ///< Of computing and communicating, on average over all runs.
  double mean() const noexcept;    ///< Of the iterations; 0: none reached it.
  /// The prediction interval of 99 % for a single further run, of the logarithms of the iterations, since their spread grows
  /// with them: exp(m ± t s sqrt(1 + 1/n)), with Student's t of n − 1 degrees of freedom (G. J. Hahn, Additional Factors for
  /// Calculating Prediction Intervals for Samples from a Normal Distribution, JASA 65, 1970). Widened by `every` iterations
  /// on both sides: so rarely was it looked. Nothing: fewer than two runs reached the accuracy.
  std::optional<Range99> prediction(double every) const;
};

/// By world size, ascending. Columns "ranks", "seed", "iterations" (empty: never reached), and, where there are,
/// "computing_s" and "communicating_s"; lines that begin with # are left out. Throws UserError, which names the line.
std::vector<ReferenceRow> read_reference_runs(std::string_view csv);

/// The mean of k*(1)/k*(N), and how far it may be off (its confidence interval of 99 %, by propagation of errors). Both world
/// sizes have runs that reached the accuracy.
struct ReferenceSpeedup {
  double mean = 0, off = 0;
};
std::optional<ReferenceSpeedup> reference_speedup(const ReferenceRow& one, const ReferenceRow& row);

}  // namespace rankscope
