// Causal attention, a head of a sequence at a time.
#include "engine/training/transformer/attention.h"

#include <cmath>

#include "engine/core/base/ranges.h"
#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

/// Of one head of one sequence: its rows and columns in Q, K and V, and its rows among the probabilities.
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

}  // namespace rankscope::training
