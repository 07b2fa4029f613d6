// Judges a training of LeNet-5: each step is computed again from the batches that the ranks took.
#pragma once

#include <string>
#include <vector>

#include "lessons/coding/cases.h"
#include "lessons/coding/lenet_model.h"

namespace rankscope {

LenetSize lenet_size(const CodingExercise& exercise, const CodeCase& one);
CodeFaults judge_lenet(const CaseReports& in);

/// A step of all ranks. Before it all have the same parameters.
struct LenetStep {
  LenetParameters before;
  std::vector<LenetParameters> gradients = {};  ///< For each rank's batch.
  std::vector<LenetParameters> after = {};      ///< By rank, as the program has them.
  double step_size = 0.1;
  int batch = 1;
};
/// After the local step and the average: what is right.
LenetParameters right_step(const LenetStep& step);
/// Names the mistake of one step: a wrong divisor, a wrong step size, tensors that are left out. Empty if none is known, or
/// the step is right.
std::string explain_step(const LenetStep& step);

/// Far more than float32 and another order of additions change in a few steps, relative to how far the step goes, and far
/// less than any mistake does.
inline constexpr double kLenetTolerance = 2e-3;
/// Returns whether two vectors agree within the tolerance, relative to the length `movement` of a step.
bool alike(std::span<const double> a, std::span<const double> b, double movement);

}  // namespace rankscope
