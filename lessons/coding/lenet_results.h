// Whether a program trained LeNet-5 as asked: each step is computed again from the batches that its ranks took.
#pragma once

#include "lessons/coding/cases.h"
#include "lessons/coding/lenet_model.h"

namespace rankscope {

LenetSize lenet_size(const CodingExercise& exercise, const CodeCase& one);
CodeFaults judge_lenet(const CodingExercise& exercise, const CodeCase& one,
                       const std::vector<capi::AgentReport>& ranks);

}  // namespace rankscope
