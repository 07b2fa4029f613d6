// Computes the layers that work token by token.
#include "engine/training/transformer/layers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

constexpr double kNormEpsilon = 1e-5;

template <class T>
Count outputs_of(const Matrix<T>& x, std::size_t weights) {
  return static_cast<Count>(weights) / x.cols;
}

template <class T>
T dot(std::span<const T> a, std::span<const T> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), T(0));
}

}  // namespace

template <class T>
Matrix<T> linear(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias) {
  const Count outputs = outputs_of(x, weight.size());
  Matrix<T> y(x.rows, outputs);
  add_product_bt<T>(map_of(y), map_of(x), map_of(weight, outputs, x.cols));
  if (!bias.empty()) add_bias(y, bias);
  return y;
}

template <class T>
Matrix<T> linear_backward(const Matrix<T>& x, const Matrix<T>& d_y, std::span<const T> weight,
                          std::span<T> d_weight, std::span<T> d_bias) {
  Matrix<T> d_x(x.rows, x.cols);
  add_product<T>(map_of(d_x), map_of(d_y), map_of(weight, d_y.cols, x.cols));
  add_product_at<T>(map_of(d_weight, d_y.cols, x.cols), map_of(d_y), map_of(x));
  if (!d_bias.empty()) add_bias_backward(d_y, d_bias);
  return d_x;
}

template <class T>
void add_bias(Matrix<T>& y, std::span<const T> bias) {
  for (Count r = 0; r < y.rows; ++r)
    std::ranges::transform(y.row(r), bias, y.row(r).begin(), std::plus<>());
}

template <class T>
void add_bias_backward(const Matrix<T>& d_y, std::span<T> d_bias) {
  for (Count r = 0; r < d_y.rows; ++r)
    std::ranges::transform(d_bias, d_y.row(r), d_bias.begin(), std::plus<>());
}

template <class T>
Matrix<T> layer_norm(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias,
                     NormContext<T>& context) {
  context.normed = x;
  context.inverse.clear();
  Matrix<T> y(x.rows, x.cols);
  const auto width = static_cast<T>(x.cols);
  for (Count r = 0; r < x.rows; ++r) {
    const std::span<T> normed = context.normed.row(r), out = y.row(r);
    const T mean = std::accumulate(normed.begin(), normed.end(), T(0)) / width;
    for (T& value : normed) value -= mean;
    const T inverse = 1 / std::sqrt(dot<T>(normed, normed) / width + static_cast<T>(kNormEpsilon));
    context.inverse.push_back(inverse);
    for (std::size_t c = 0; c < out.size(); ++c) {
      normed[c] *= inverse;
      out[c] = normed[c] * weight[c] + bias[c];
    }
  }
  return y;
}

template <class T>
Matrix<T> layer_norm_backward(const NormContext<T>& context, const Matrix<T>& d_y,
                              std::span<const T> weight, std::span<T> d_weight,
                              std::span<T> d_bias) {
  add_bias_backward(d_y, d_bias);
  Matrix<T> d_x = d_y;
  const auto width = static_cast<T>(d_y.cols);
  for (Count r = 0; r < d_y.rows; ++r) {
    const std::span<T> d = d_x.row(r);
    const std::span<const T> normed = context.normed.row(r);
    for (std::size_t c = 0; c < d.size(); ++c) {
      d_weight[c] += d[c] * normed[c];
      d[c] *= weight[c];
    }
    const T mean = std::accumulate(d.begin(), d.end(), T(0)) / width;
    const T along = dot<T>(d, normed) / width;
    for (std::size_t c = 0; c < d.size(); ++c)
      d[c] = (d[c] - mean - along * normed[c]) * context.inverse[static_cast<std::size_t>(r)];
  }
  return d_x;
}

template <class T>
Matrix<T> gelu(const Matrix<T>& x) {
  Matrix<T> y(x.rows, x.cols);
  std::ranges::transform(x.at, y.at.begin(),
                         [](T v) { return v / 2 * (1 + std::erf(v / std::numbers::sqrt2_v<T>)); });
  return y;
}

template <class T>
Matrix<T> gelu_backward(const Matrix<T>& x, const Matrix<T>& d_y) {
  Matrix<T> d_x(x.rows, x.cols);
  std::ranges::transform(x.at, d_y.at, d_x.at.begin(), [](T v, T d) {
    const T below = (1 + std::erf(v / std::numbers::sqrt2_v<T>)) / 2;
    const T density =
        std::exp(-v * v / 2) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
    return d * (below + v * density);
  });
  return d_x;
}

template <class T>
double cross_entropy(const Matrix<T>& logits, std::span<const int> targets, double scale,
                     Matrix<T>& d_logits) {
  d_logits = logits;
  double loss = 0;
  for (Count r = 0; r < logits.rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    const std::span<T> d = d_logits.row(r);
    loss += double(softmax(d)) - double(logits(r, target));
    d[static_cast<std::size_t>(target)] -= 1;
    for (T& value : d) value *= static_cast<T>(scale);
  }
  return loss * scale;
}

// Instantiates layers.h for each type.
#define RANKSCOPE_LAYERS(T)                                                                  \
  template Matrix<T> linear(const Matrix<T>&, std::span<const T>, std::span<const T>);       \
  template Matrix<T> linear_backward(const Matrix<T>&, const Matrix<T>&, std::span<const T>, \
                                     std::span<T>, std::span<T>);                            \
  template void add_bias(Matrix<T>&, std::span<const T>);                                    \
  template void add_bias_backward(const Matrix<T>&, std::span<T>);                           \
  template Matrix<T> layer_norm(const Matrix<T>&, std::span<const T>, std::span<const T>,    \
                                NormContext<T>&);                                            \
  template Matrix<T> layer_norm_backward(const NormContext<T>&, const Matrix<T>&,            \
                                         std::span<const T>, std::span<T>, std::span<T>);    \
  template Matrix<T> gelu(const Matrix<T>&);                                                 \
  template Matrix<T> gelu_backward(const Matrix<T>&, const Matrix<T>&);                      \
  template double cross_entropy(const Matrix<T>&, std::span<const int>, double, Matrix<T>&);
RANKSCOPE_LAYERS(float)
RANKSCOPE_LAYERS(double)
#undef RANKSCOPE_LAYERS

}  // namespace rankscope::training
