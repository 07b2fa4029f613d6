// Reference runs of a training for several world sizes and seeds, as `rankscope train` writes them to runs.csv. Measured tables
// of k*(N) are compared with them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

/// The range in which one more run's iterations are expected with 99 %.
struct Range99 {
  double least = 0, most = 0;
  bool holds(double value) const noexcept { return value >= least && value <= most; }
};

/// The runs of one world size.
struct ReferenceRow {
  int ranks = 0;
  int runs = 0;                    ///< Number of runs that were made.
  std::vector<double> iterations;  ///< k* of the runs that reached the accuracy.
  double seconds = 0;            ///< Time of computing and communicating, the average of all runs.
  double mean() const noexcept;  ///< The mean of the iterations; 0 when no run reached it.
  /// The prediction interval of 99 % for a single further run, of the logarithms of the iterations, since their spread grows
  /// with them: exp(m ± t s sqrt(1 + 1/n)), with Student's t of n − 1 degrees of freedom (G. J. Hahn, Additional Factors for
  /// Calculating Prediction Intervals for Samples from a Normal Distribution, JASA 65, 1970). Widened on
  /// both sides by `every`, the iterations between two looks. Nothing when fewer than two runs reached the accuracy.
  std::optional<Range99> prediction(double every) const;
};

/// Reads the rows, ordered by world size. Columns are "ranks", "seed", "iterations" (empty when never reached) and optionally
/// "computing_s" and "communicating_s"; lines that begin with # are skipped. Throws UserError with the line.
std::vector<ReferenceRow> read_reference_runs(std::string_view csv);

/// The ratio of the geometric means of k*(1) and k*(N), and its distance to the upper end of its 99 % confidence interval.
struct ReferenceSpeedup {
  double mean = 0, off = 0;
};
/// Nothing unless at least two runs of each world size reached the accuracy.
std::optional<ReferenceSpeedup> reference_speedup(const ReferenceRow& one, const ReferenceRow& row);

}  // namespace rankscope
