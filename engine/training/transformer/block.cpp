// Attention, and a Transformer block from its layers.
#include "engine/training/transformer/block.h"

#include <cmath>

#include "engine/core/base/ranges.h"
#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

/// The place at which a head of a sequence begins: row and column in Q, K and V, and row in the probabilities.
struct HeadPlace {
  Count row, col, probabilities;
};
HeadPlace head_place(const AttentionShape& shape, Count batch, Count head) {
  return {batch * shape.sequence, head * shape.head_width,
          (batch * shape.heads + head) * shape.sequence};
}

template <class T>
auto head_of(const AttentionShape& shape, const Matrix<T>& m, const HeadPlace& at) {
  return map_of(m).block(at.row, at.col, shape.sequence, shape.head_width);
}
template <class T>
auto head_of(const AttentionShape& shape, Matrix<T>& m, const HeadPlace& at) {
  return map_of(m).block(at.row, at.col, shape.sequence, shape.head_width);
}

template <class T>
T scale_of(const AttentionShape& shape) {
  return 1 / std::sqrt(static_cast<T>(shape.head_width));
}

}  // namespace

template <class T>
Matrix<T> attend(const AttentionShape& shape, const Qkv<T>& in, Matrix<T>& probabilities) {
  probabilities = Matrix<T>(shape.batch * shape.heads * shape.sequence, shape.sequence);
  Matrix<T> out(shape.tokens(), shape.width());
  for (Count b = 0; b < shape.batch; ++b)
    for (Count h = 0; h < shape.heads; ++h) {
      const HeadPlace at = head_place(shape, b, h);
      auto p = map_of(probabilities).middleRows(at.probabilities, shape.sequence);
      add_product_bt<T>(p, head_of(shape, in.q, at), head_of(shape, in.k, at), scale_of<T>(shape));
      for (Count i = 0; i < shape.sequence; ++i) {
        const std::span<T> row = probabilities.row(at.probabilities + i);
        const auto seen = row.first(static_cast<std::size_t>(i + 1));
        softmax(seen);
        ranges::fill(row.subspan(seen.size()), T(0));
      }
      add_product<T>(head_of(shape, out, at), p, head_of(shape, in.v, at));
    }
  return out;
}

template <class T>
Qkv<T> attend_backward(const AttentionShape& shape, const Qkv<T>& in,
                       const Matrix<T>& probabilities, const Matrix<T>& d_out) {
  Qkv<T> d;
  for (Matrix<T>* one : {&d.q, &d.k, &d.v}) *one = Matrix<T>(shape.tokens(), shape.width());
  for (Count b = 0; b < shape.batch; ++b)
    for (Count h = 0; h < shape.heads; ++h) {
      const HeadPlace at = head_place(shape, b, h);
      const auto p = map_of(probabilities).middleRows(at.probabilities, shape.sequence);
      const auto d_o = head_of(shape, d_out, at);
      add_product_at<T>(head_of(shape, d.v, at), p, d_o);
      EigenMatrix<T> d_s = EigenMatrix<T>::Zero(shape.sequence, shape.sequence);
      add_product_bt<T>(d_s, d_o, head_of(shape, in.v, at));
      softmax_backward<T>(d_s, p, d_s, p, scale_of<T>(shape));
      add_product<T>(head_of(shape, d.q, at), d_s, head_of(shape, in.k, at));
      add_product_at<T>(head_of(shape, d.k, at), d_s, head_of(shape, in.q, at));
    }
  return d;
}

template Matrix<float> attend(const AttentionShape&, const Qkv<float>&, Matrix<float>&);
template Matrix<double> attend(const AttentionShape&, const Qkv<double>&, Matrix<double>&);
template Qkv<float> attend_backward(const AttentionShape&, const Qkv<float>&, const Matrix<float>&,
                                    const Matrix<float>&);
template Qkv<double> attend_backward(const AttentionShape&, const Qkv<double>&,
                                     const Matrix<double>&, const Matrix<double>&);

using enum BlockTensor;

std::array<TensorInfo, kBlockTensors> block_tensors(const BlockShape& shape) {
  const Count d = shape.width, own = shape.heads * shape.head_width, inner = shape.inner;
  std::array<TensorInfo, kBlockTensors> out{{{"ln1.weight", 1, d},
                                             {"ln1.bias", 1, d},
                                             {"q_proj.weight", own, d},
                                             {"q_proj.bias", 1, own},
                                             {"k_proj.weight", own, d},
                                             {"k_proj.bias", 1, own},
                                             {"v_proj.weight", own, d},
                                             {"v_proj.bias", 1, own},
                                             {"o_proj.weight", d, own},
                                             {"o_proj.bias", 1, d},
                                             {"ln2.weight", 1, d},
                                             {"ln2.bias", 1, d},
                                             {"fc1.weight", inner, d},
                                             {"fc1.bias", 1, inner},
                                             {"fc2.weight", d, inner},
                                             {"fc2.bias", 1, d}}};
  std::size_t offset = 0;
  for (TensorInfo& one : out) offset += (one.offset = offset, one.count());
  return out;
}

std::size_t block_parameters(const BlockShape& shape) {
  const auto tensors = block_tensors(shape);
  return tensors.back().offset + tensors.back().count();
}

template <class T>
BlockView<T>::BlockView(const BlockShape& shape, std::span<T> all) {
  const auto tensors = block_tensors(shape);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    parts_.at(i) = all.subspan(tensors.at(i).offset, tensors.at(i).count());
}

template <class T>
Matrix<T> BlockOperators<T>::attend(const BlockShape& shape, BlockContext<T>& context) {
  context.attention.resize(1);
  return training::attend(shape.attention(), context.qkv, context.attention[0]);
}

template <class T>
Qkv<T> BlockOperators<T>::attend_backward(const BlockShape& shape, const BlockContext<T>& context,
                                          const Matrix<T>& d_heads) {
  return training::attend_backward(shape.attention(), context.qkv, context.attention[0], d_heads);
}

template <class T>
Matrix<T> BlockOperators<T>::mlp(const BlockShape& /*shape*/, const BlockWeights<T>& weights,
                                 BlockContext<T>& context) {
  context.mlp.resize(2);
  Matrix<T>&before = context.mlp[0], &after = context.mlp[1];
  before = linear<T>(context.normed2, weights[fc1_weight], weights[fc1_bias]);
  after = gelu(before);
  Matrix<T> y = linear<T>(after, weights[fc2_weight], {});
  complete_forward(HalfBlock::mlp, y);
  add_bias<T>(y, weights[fc2_bias]);
  return y;
}

template <class T>
Matrix<T> BlockOperators<T>::mlp_backward(const BlockShape& /*shape*/,
                                          const BlockWeights<T>& weights,
                                          const BlockContext<T>& context, const Matrix<T>& d_y,
                                          const BlockGradients<T>& gradients) {
  add_bias_backward<T>(d_y, gradients[fc2_bias]);
  const Matrix<T> d_after =
      linear_backward<T>(context.mlp[1], d_y, weights[fc2_weight], gradients[fc2_weight], {});
  const Matrix<T> d_before = gelu_backward(context.mlp[0], d_after);
  Matrix<T> d_x = linear_backward<T>(context.normed2, d_before, weights[fc1_weight],
                                     gradients[fc1_weight], gradients[fc1_bias]);
  complete_backward(HalfBlock::mlp, d_x);
  return d_x;
}

template <class T>
Matrix<T> Block<T>::forward(std::span<const T> parameters, const Matrix<T>& x,
                            BlockContext<T>& context) const {
  const BlockWeights<T> w(shape_, parameters);
  context.normed1 = layer_norm<T>(x, w[ln1_weight], w[ln1_bias], context.norm1);
  context.qkv = {linear<T>(context.normed1, w[q_weight], w[q_bias]),
                 linear<T>(context.normed1, w[k_weight], w[k_bias]),
                 linear<T>(context.normed1, w[v_weight], w[v_bias])};
  context.heads = operators_.attend(shape_, context);
  Matrix<T> y = linear<T>(context.heads, w[o_weight], {});
  operators_.complete_forward(HalfBlock::attention, y);
  add_bias<T>(y, w[o_bias]);
  add_to(y, x);
  context.normed2 = layer_norm<T>(y, w[ln2_weight], w[ln2_bias], context.norm2);
  add_to(y, operators_.mlp(shape_, w, context));
  return y;
}

template <class T>
Matrix<T> Block<T>::backward(std::span<const T> parameters, const BlockContext<T>& context,
                             const Matrix<T>& d_y, std::span<T> gradients) const {
  const BlockWeights<T> w(shape_, parameters);
  const BlockGradients<T> g(shape_, gradients);
  Matrix<T> d_middle =
      layer_norm_backward<T>(context.norm2, operators_.mlp_backward(shape_, w, context, d_y, g),
                             w[ln2_weight], g[ln2_weight], g[ln2_bias]);
  add_to(d_middle, d_y);

  add_bias_backward<T>(d_middle, g[o_bias]);
  const Matrix<T> d_heads =
      linear_backward<T>(context.heads, d_middle, w[o_weight], g[o_weight], {});
  const Qkv<T> d = operators_.attend_backward(shape_, context, d_heads);
  Matrix<T> d_normed =
      linear_backward<T>(context.normed1, d.q, w[q_weight], g[q_weight], g[q_bias]);
  add_to(d_normed, linear_backward<T>(context.normed1, d.k, w[k_weight], g[k_weight], g[k_bias]));
  add_to(d_normed, linear_backward<T>(context.normed1, d.v, w[v_weight], g[v_weight], g[v_bias]));
  operators_.complete_backward(HalfBlock::attention, d_normed);
  Matrix<T> d_x =
      layer_norm_backward<T>(context.norm1, d_normed, w[ln1_weight], g[ln1_weight], g[ln1_bias]);
  add_to(d_x, d_middle);
  return d_x;
}

template class BlockView<float>;
template class BlockView<double>;
template class BlockView<const float>;
template class BlockView<const double>;
template class BlockOperators<float>;
template class BlockOperators<double>;
template class Block<float>;
template class Block<double>;

}  // namespace rankscope::training
