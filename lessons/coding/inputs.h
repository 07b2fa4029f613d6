// The inputs of a case's ranks.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/results/result_words.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/sgd_model.h"

namespace rankscope {

/// Random, and another for each rank.
std::vector<double> input_of(const CodeCase& one, Rank rank);
/// A rank's input as the case has it: random, telling or numbered.
std::vector<double> values_for(const CodeCase& one, Rank rank);
/// A tensor that a rank is given in an exercise on a model.
struct ModelInput {
  std::string name;  ///< The parameter's; empty for an argument.
  std::vector<Count> shape;
  std::vector<double> values;
};
/// A rank's arguments, then its parameters. Empty in exercises without a model.
std::vector<ModelInput> model_inputs(const CodingExercise& exercise, const CodeCase& one,
                                     Rank rank);
BlockSize block_size(const CodeCase& one);
bool asks_for_losses(const CodingExercise& exercise);
SgdSize sgd_size(const CodingExercise& exercise, const CodeCase& one);
/// The attributes in which tensor parallelism keeps its parts.
std::vector<std::string> block_shard_names(const CodingExercise& exercise, const CodeCase& one);
Matrix block_argument(const CodingExercise& exercise, const CodeCase& one, Rank rank);

/// The name that the ranks greet in the exercise "hello".
std::string own_name(const CodeCase& one);
/// Rank 0's number in the exercise "pass it on". Neither float32 nor int32 holds it.
double passed_on(const CodeCase& one);

}  // namespace rankscope
