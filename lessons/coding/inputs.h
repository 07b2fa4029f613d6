// What the ranks of a case are given.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/result_words.h"
#include "lessons/coding/cases.h"

namespace rankscope {

/// Random, and another for each rank.
std::vector<double> input_of(const CodeCase& one, Rank rank);
/// The same, or the telling ones.
std::vector<double> values_for(const CodingExercise& exercise, const CodeCase& one, Rank rank);
/// The case as result_words.h knows it.
ResultCase result_case(const CodingExercise& exercise, const CodeCase& one);
/// Of the exercise "hello": whom the ranks greet.
std::string own_name(const CodeCase& one);
/// Of the exercise "pass it on": what rank 0 begins with. float32 would round it.
double passed_on(const CodeCase& one);

}  // namespace rankscope
