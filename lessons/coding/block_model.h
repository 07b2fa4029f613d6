// A Transformer block in float64, cut over ranks in two ways: what exercises on it should return, and what
// well-known mistakes make of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/training/transformer/matrix.h"

namespace rankscope {

using Matrix = training::Matrix<double>;

/// PyTorch's shape of a parameter: a bias, here one row, has a single dimension.
inline std::vector<Count> parameter_shape(const Matrix& values, bool is_bias) {
  return is_bias ? std::vector{values.cols} : std::vector{values.rows, values.cols};
}

struct BlockSize {
  int ranks = 1;
  Count batch = 1, sequence = 1, width = 1;  ///< One rank's argument.
  Count heads = 1, inner = 1;                ///< inner: the width between FC1 and FC2.
};

/// A rank's own part of a parameter where the block is cut by tensor parallelism.
enum class BlockCut : std::uint8_t { whole, rows, columns };
struct BlockParameter {
  std::string name;  ///< "q_proj.weight"
  Matrix values;     ///< A bias is one row.
  bool is_bias = false;
  BlockCut cut = BlockCut::whole;
};
/// The block's parameters in PyTorch's order, the same for all ranks.
std::vector<BlockParameter> block_parameters(const BlockSize& size, std::uint64_t seed);
/// The attribute for a rank's part in tensor parallelism: "q_proj_shard" for q_proj.weight. Empty if there is none.
std::string shard_name(const BlockParameter& parameter);
/// A rank's own rows or columns.
Matrix shard_of(const BlockParameter& parameter, int rank, int ranks);
/// The whole, with no number where it is another rank's part.
Matrix only_own(const BlockParameter& parameter, int rank, int ranks);

/// A way in which tensor parallelism goes wrong.
struct TensorParallelFault {
  enum class Sum : std::uint8_t {
    right,
    average,
    own_part,
    only_root,
    bias_each,
    no_bias,
    residual_each
  };
  Sum after_o = Sum::right, after_fc2 = Sum::right;
  bool scaled_by_shard = false, no_scale = false;
  std::string_view says;
  /// Each rank attends with parts of all heads; with all of its own as one.
  enum class Heads : std::uint8_t { whole, cut, one } heads = Heads::whole;
  /// No slip: it is not how tensor parallelism goes.
  bool is_other_algorithm() const noexcept { return heads == Heads::cut; }
};
/// Returns each rank's result, which is the same on every rank unless there is a fault. `x` has batch * sequence rows.
std::vector<Matrix> tensor_parallel(const BlockSize& size,
                                    const std::vector<BlockParameter>& parameters, const Matrix& x,
                                    const TensorParallelFault& fault = {});
const std::vector<TensorParallelFault>& tensor_parallel_faults();

/// A way in which Ulysses goes wrong.
struct UlyssesFault {
  enum class Kind : std::uint8_t { none, own_keys, own_queries, own_first, stays_cut, mixed };
  Kind kind = Kind::none;
  std::string_view says;
  /// No slip: tokens do not see the whole sequence with a rank's heads.
  bool is_other_algorithm() const noexcept {
    return kind == Kind::own_keys || kind == Kind::own_queries || kind == Kind::stays_cut;
  }
};
/// Returns each rank's part of the sequence; `x` has each rank's part.
std::vector<Matrix> ulysses(const BlockSize& size, const std::vector<BlockParameter>& parameters,
                            const std::vector<Matrix>& x, const UlyssesFault& fault = {});
const std::vector<UlyssesFault>& ulysses_faults();

}  // namespace rankscope
