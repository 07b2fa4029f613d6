// What the ranks of a case are given.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/results/result_words.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/sgd_model.h"

namespace rankscope {

/// Random, and another for each rank.
std::vector<double> input_of(const CodeCase& one, Rank rank);
/// The same, or the telling ones.
std::vector<double> values_for(const CodeCase& one, Rank rank);
/// Of a model's exercise: the tensors that a rank is given, arguments (without a name) first. Empty: it is no
/// such exercise.
struct ModelInput {
  std::string name;  ///< Of a parameter.
  std::vector<Count> shape;
  std::vector<double> values;
};
std::vector<ModelInput> model_inputs(const CodingExercise& exercise, const CodeCase& one,
                                     Rank rank);
BlockSize block_size(const CodeCase& one);
/// Whether a training returns its losses.
bool asks_for_losses(const CodingExercise& exercise);
SgdSize sgd_size(const CodingExercise& exercise, const CodeCase& one);
/// The attributes in which tensor parallelism keeps its parts.
std::vector<std::string> block_shard_names(const CodingExercise& exercise, const CodeCase& one);
/// The block's argument of a rank.
Matrix block_argument(const CodingExercise& exercise, const CodeCase& one, Rank rank);

/// Of the exercise "hello": whom the ranks greet.
std::string own_name(const CodeCase& one);
/// Of the exercise "pass it on": what rank 0 begins with. Neither float32 nor int32 holds it.
double passed_on(const CodeCase& one);

}  // namespace rankscope
