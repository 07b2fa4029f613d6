// Judges results of exercises on models, by models of our own in float64.
#pragma once

#include "lessons/coding/cases.h"

namespace rankscope {

CodeFaults judge_block(const CodingExercise& exercise, const CodeCase& one,
                       const std::vector<capi::AgentReport>& ranks);
CodeFaults judge_sgd(const CodingExercise& exercise, const CodeCase& one,
                     const std::vector<capi::AgentReport>& ranks);

}  // namespace rankscope
