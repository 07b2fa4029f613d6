// Reads a measured table of k*(N), and judges it by reference runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/kinds/kind.h"

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

/// The question's description of the measurement.
struct SpeedupQuestion {
  std::vector<int> worlds;              ///< The first is 1.
  std::vector<ReferenceRow> reference;  ///< A row for each world size.
  /// The accuracy to reach, iterations between two tests, pictures of a worker's batch and of the training set.
  double until = 0.97, every = 1, batch = 1, pictures = 1;
  bool asks_curve = false, asks_linear = false;
};
/// Reads a question's table, in which "reference" is the text of the file. Throws UserError.
SpeedupQuestion speedup_question(const nlohmann::json& data);

struct SpeedupAnswer {
  /// A value for each world size; nothing for "-" (never reached) or a blank.
  std::vector<std::optional<double>> k, speedup;
  std::string linear = {};  ///< "yes" or "no"; empty when not answered.
  struct Look {
    double ranks = 0, iteration = 0, accuracy = 0;
  };
  std::vector<Look> curve = {};
};
/// Reads an answer. Throws UserError for another form.
SpeedupAnswer speedup_answer(const nlohmann::json& data, const nlohmann::json& answer);

/// The reference's values in the form of an answer.
nlohmann::json reference_answer(const SpeedupQuestion& question);
/// Judges the parts that are asked for, with weights: k five, the speedups two, the curve two, linear one.
Judgement judge_speedup(const SpeedupQuestion& question, const SpeedupAnswer& answer);

}  // namespace rankscope
