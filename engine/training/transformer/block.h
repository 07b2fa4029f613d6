// A pre-norm Transformer block, forward and backward: x + attention(norm(x)), then that + MLP(norm(that)). A parallel
// form changes it by its BlockOperators.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/training/transformer/layers.h"
#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

/// The shape of Q, K and V: rows are [batch][sequence], columns [heads][head_width].
struct AttentionShape {
  Count batch = 1, sequence = 1, heads = 1, head_width = 1;
  Count tokens() const noexcept { return batch * sequence; }
  Count width() const noexcept { return heads * head_width; }
};

/// The inputs of attention, or the loss's derivatives by them.
template <class T>
struct Qkv {
  Matrix<T> q, k, v;
};

/// Returns softmax(Q K^T / sqrt(head_width)) V for each sequence and head; no token sees later ones.
/// `probabilities` becomes the softmax, [batch * heads * sequence, sequence], which the backward pass needs.
template <class T>
Matrix<T> attend(const AttentionShape& shape, const Qkv<T>& in, Matrix<T>& probabilities);
template <class T>
Qkv<T> attend_backward(const AttentionShape& shape, const Qkv<T>& in,
                       const Matrix<T>& probabilities, const Matrix<T>& d_out);

/// The shape of the part of a block that one rank computes: heads and inner may be fewer than the whole block's.
struct BlockShape {
  Count batch = 1, sequence = 1;
  Count width = 1;  ///< Numbers per token.
  Count heads = 1, head_width = 1;
  Count inner = 1;  ///< Width between fc1 and fc2.
  AttentionShape attention() const noexcept { return {batch, sequence, heads, head_width}; }
  Count tokens() const noexcept { return batch * sequence; }
};

/// The parameters of a block, in their order in memory. Weights are [out, in], as PyTorch has them.
enum class BlockTensor : std::uint8_t {
  ln1_weight,
  ln1_bias,
  q_weight,
  q_bias,
  k_weight,
  k_bias,
  v_weight,
  v_bias,
  o_weight,
  o_bias,
  ln2_weight,
  ln2_bias,
  fc1_weight,
  fc1_bias,
  fc2_weight,
  fc2_bias,
};
inline constexpr int kBlockTensors = 16;

/// One tensor of parameters in a flat vector. A bias or a norm's weight is one row.
struct TensorInfo {
  std::string name;  ///< "q_proj.weight"; of the whole network "blocks.0.q_proj.weight"
  Count rows = 1, cols = 0;
  std::size_t offset = 0;  ///< In the vector of all parameters.
  std::size_t count() const noexcept { return static_cast<std::size_t>(rows * cols); }
};
/// Returns the tensors by BlockTensor; offsets begin at 0, without gaps.
std::array<TensorInfo, kBlockTensors> block_tensors(const BlockShape& shape);
/// Returns the number of elements of all tensors.
std::size_t block_parameters(const BlockShape& shape);

/// A block's parameters or their gradients.
template <class T>
class BlockView {
 public:
  /// `all`: block_parameters(shape) elements. T may be const.
  BlockView(const BlockShape& shape, std::span<T> all);
  std::span<T> operator[](BlockTensor tensor) const {
    return parts_[static_cast<std::size_t>(tensor)];
  }

 private:
  std::array<std::span<T>, kBlockTensors> parts_;
};
template <class T>
using BlockWeights = BlockView<const T>;
template <class T>
using BlockGradients = BlockView<T>;

/// The values of a forward pass that the backward pass of the same block and tokens needs.
template <class T>
struct BlockContext {
  NormContext<T> norm1, norm2;
  Matrix<T> normed1, normed2;  ///< The inputs of attention and MLP.
  Qkv<T> qkv;
  Matrix<T> heads;                   ///< The heads' outputs, the input of o_proj.
  std::vector<Matrix<T>> attention;  ///< For the operators.
  std::vector<Matrix<T>> mlp;
};

enum class HalfBlock : std::uint8_t { attention, mlp };

/// The operations of a block that parallel forms replace; these compute a whole block on one rank.
template <class T>
class BlockOperators {
 public:
  virtual ~BlockOperators() = default;

  /// Returns the heads' outputs, the input of o_proj.
  virtual Matrix<T> attend(const BlockShape& shape, BlockContext<T>& context);
  virtual Qkv<T> attend_backward(const BlockShape& shape, const BlockContext<T>& context,
                                 const Matrix<T>& d_heads);
  /// Returns the MLP's result: fc1, GELU, fc2 with their biases.
  virtual Matrix<T> mlp(const BlockShape& shape, const BlockWeights<T>& weights,
                        BlockContext<T>& context);
  /// Returns the derivative by the second norm's result; adds to the gradients.
  virtual Matrix<T> mlp_backward(const BlockShape& shape, const BlockWeights<T>& weights,
                                 const BlockContext<T>& context, const Matrix<T>& d_y,
                                 const BlockGradients<T>& gradients);
  /// Called after o_proj and fc2, before their biases. Tensor parallel sums up over the ranks: Megatron-LM's g.
  virtual void complete_forward(HalfBlock /*half*/, Matrix<T>& /*partial*/) {}
  /// Called with the derivative by a norm's result. Tensor parallel sums up over the ranks: Megatron-LM's f.
  virtual void complete_backward(HalfBlock /*half*/, Matrix<T>& /*partial*/) {}
};

/// One block, which keeps nothing of the tokens: BlockContext does.
template <class T>
class Block {
 public:
  /// `operators` must outlive the block.
  Block(const BlockShape& shape, BlockOperators<T>& operators)
      : shape_(shape), operators_(operators) {}

  const BlockShape& shape() const noexcept { return shape_; }
  /// x and the result are [tokens, width].
  Matrix<T> forward(std::span<const T> parameters, const Matrix<T>& x,
                    BlockContext<T>& context) const;
  /// Returns the derivative by x; adds to `gradients`, which has the layout of `parameters`.
  Matrix<T> backward(std::span<const T> parameters, const BlockContext<T>& context,
                     const Matrix<T>& d_y, std::span<T> gradients) const;

 private:
  BlockShape shape_;
  BlockOperators<T>& operators_;
};

extern template class BlockView<float>;
extern template class BlockView<double>;
extern template class BlockView<const float>;
extern template class BlockView<const double>;
extern template class BlockOperators<float>;
extern template class BlockOperators<double>;
extern template class Block<float>;
extern template class Block<double>;

}  // namespace rankscope::training
