// Explains the wrong results of a run in words, from inputs that tell whose data they are.
#pragma once

#include <string>
#include <vector>

#include "engine/account/numbers.h"
#include "engine/analysis/exercise_case.h"

namespace rankscope {

/// One rank's result; without values if nothing came back.
struct RankResult {
  Shape shape;
  std::vector<double> values;
};

/// Returns a rank's right result for account::traceable_input().
RankResult expected_result(const ExerciseCase& run, Rank rank);

/// Returns the plainest mistake in results of traceable inputs, one per rank: "chunk 1 has rank 2 twice
/// and lacks rank 0", "rank 3's result lacks ranks 1 and 2", "block 2 of rank 0's result holds rank 1's data, it should
/// hold rank 2's", "rank 1's result has shape [2, 8] instead of [8, 2]". Empty if every result is right.
std::string explain_result(const ExerciseCase& run, const std::vector<RankResult>& results);

}  // namespace rankscope
