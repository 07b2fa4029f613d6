// A measured table of k*(N): read, and judged by reference runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/grading/kind.h"
#include "lessons/grading/reference_runs.h"

namespace rankscope {

/// What the question says of the measurement.
struct SpeedupQuestion {
  std::vector<int> worlds;              ///< The first is 1.
  std::vector<ReferenceRow> reference;  ///< Of each of them.
  double until = 0.97, every = 1, batch = 1, pictures = 1;
  bool asks_curve = false, asks_linear = false;
};
/// Of a question's table, in which "reference" is the text of the file. Throws UserError.
SpeedupQuestion speedup_question(const nlohmann::json& data);

struct SpeedupAnswer {
  /// By world size; nothing: "-", it was never reached, or nothing was filled in.
  std::vector<std::optional<double>> k, speedup;
  std::string linear = {};  ///< "yes", "no"; empty: not answered.
  struct Look {
    double ranks = 0, iteration = 0, accuracy = 0;
  };
  std::vector<Look> curve = {};
};
/// Throws UserError for what is not of the form.
SpeedupAnswer speedup_answer(const nlohmann::json& data, const nlohmann::json& answer);

/// What the reference has, in the form of an answer.
nlohmann::json reference_answer(const SpeedupQuestion& question);
/// k counts five parts, the speedups two, the curve two, linear one, of those that are asked for.
Judgement judge_speedup(const SpeedupQuestion& question, const SpeedupAnswer& answer);

/// Which usual misreading all of the wrong k are; empty: none that is known.
std::string explain_iterations(const SpeedupQuestion& question, const SpeedupAnswer& answer);

}  // namespace rankscope
