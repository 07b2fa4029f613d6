// What is wrong with the results of a run, in words: told from inputs that say whose data they are.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/exercise_case.h"

namespace rankscope {

/// One rank's result; or nothing came back.
struct RankResult {
  Shape shape;
  std::vector<double> values;
};

/// The inputs from whose results explain_result() reads what happened.
/// Sums: element e of rank r is chunk_weight(c) where e mod N = r, else 0 (c: the chunk of e), so that an
/// element of the sum tells how often one rank is in it, and which chunk it is of.
/// Data that only moves: 1 + r * count + e, so that each element says whose it is, and which.
std::vector<double> traceable_input(const ExerciseCase& run, Rank rank);
/// No two chunks' are multiples of each other.
double chunk_weight(const ExerciseCase& run, int chunk);
/// What the inputs should become on a rank.
RankResult expected_result(const ExerciseCase& run, Rank rank);

/// Empty when every rank has what it should have; else the first and plainest thing that is wrong:
/// "chunk 1 has rank 2 twice and lacks rank 0", "rank 3's result lacks ranks 1 and 2", "block 2 of rank
/// 0's result holds rank 1's data, it should hold rank 2's", "rank 1's result has shape [2, 8] instead
/// of [8, 2]". One result a rank.
std::string explain_result(const ExerciseCase& run, const std::vector<RankResult>& results);

}  // namespace rankscope
