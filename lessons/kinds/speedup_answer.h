// Reads a measured table of k*(N), and judges it by reference runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/kinds/kind.h"
#include "lessons/kinds/reference_runs.h"

namespace rankscope {

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
