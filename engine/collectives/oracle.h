// Inputs and expected outputs, computed serially and independently of every algorithm.
#pragma once

#include <span>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/core/run/outcome.h"

namespace rankscope {

/// By rank, the elements of its input; a single one fills all of it. Does not own.
using InputValues = std::span<const std::vector<double>>;

/// Fills `data` with rank `rank`'s input: a pure function of (pattern, seed, rank, dtype, op,
/// index). PRODUCT uses factors whose product stays exact in floats.
void fill_input(Slice data, InputPattern pattern, std::uint64_t seed, Rank rank, int n, ReduceOp op,
                InputValues values = {});

struct OracleJob {
  Collective collective = Collective::allreduce;
  Shape shape = {};  ///< The shape of `in`, as in the table of algorithm.h.
  DType dtype = DType::float32;
  ReduceOp op = ReduceOp::sum;
  Rank root = 0;
  int n = 1;
  int scatter_dim = 0, gather_dim = 0;
  InputPattern pattern = InputPattern::exact;
  std::uint64_t seed = 1;
  InputValues values = {};  ///< For pattern `given`; must outlive the job.
};
/// Returns the expected output of `rank` (memory for one output; inputs are generated piecewise).
Buffer expected_output(const OracleJob& job, Rank rank);
/// Returns the first wrong element. Compares exactly, except for sums, averages and products of floats in another
/// pattern than `exact`: these have a relative tolerance that grows with n. Unspecified outputs (reduce on non-roots)
/// are right.
Mismatch check_output(const OracleJob& job, Rank rank, const Slice& got);

}  // namespace rankscope
