// The part of result_words.h on sums: who is in them, how often.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/results/result_words.h"

namespace rankscope {

/// Of results that have the right shapes.
std::string sum_words(const ExerciseCase& run, const std::vector<RankResult>& results);

}  // namespace rankscope
