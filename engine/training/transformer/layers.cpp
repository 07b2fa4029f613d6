// The layers that work token by token.
#include "engine/training/transformer/layers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/training/transformer/eigen_maps.h"

namespace rankscope::training {
namespace {

constexpr double kNormEpsilon = 1e-5;

template <class T>
Count outputs_of(const Matrix<T>& x, std::size_t weights) {
  return static_cast<Count>(weights) / x.cols;
}

}  // namespace

template <class T>
Matrix<T> linear(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias) {
  const Count outputs = outputs_of(x, weight.size());
  Matrix<T> y(x.rows, outputs);
  map_of(y).noalias() = map_of(x) * map_of(weight, outputs, x.cols).transpose();
  if (!bias.empty()) add_bias(y, bias);
  return y;
}

template <class T>
Matrix<T> linear_backward(const Matrix<T>& x, const Matrix<T>& d_y, std::span<const T> weight,
                          std::span<T> d_weight, std::span<T> d_bias) {
  Matrix<T> d_x(x.rows, x.cols);
  map_of(d_x).noalias() = map_of(d_y) * map_of(weight, d_y.cols, x.cols);
  map_of(d_weight, d_y.cols, x.cols).noalias() += map_of(d_y).transpose() * map_of(x);
  if (!d_bias.empty()) add_bias_backward(d_y, d_bias);
  return d_x;
}

template <class T>
void add_bias(Matrix<T>& y, std::span<const T> bias) {
  map_of(y).rowwise() += map_of(bias, 1, y.cols).row(0);
}

template <class T>
void add_bias_backward(const Matrix<T>& d_y, std::span<T> d_bias) {
  map_of(d_bias, 1, d_y.cols) += map_of(d_y).colwise().sum();
}

template <class T>
Matrix<T> layer_norm(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias,
                     NormContext<T>& context) {
  context.normed = Matrix<T>(x.rows, x.cols);
  context.inverse.resize(static_cast<std::size_t>(x.rows));
  Matrix<T> y(x.rows, x.cols);
  const auto w = map_of(weight, 1, x.cols), b = map_of(bias, 1, x.cols);
  for (Count r = 0; r < x.rows; ++r) {
    auto normed = map_of(context.normed).row(r);
    normed = map_of(x).row(r).array() - map_of(x).row(r).mean();
    const T variance = normed.squaredNorm() / static_cast<T>(x.cols);
    const T inverse = 1 / std::sqrt(variance + static_cast<T>(kNormEpsilon));
    normed *= inverse;
    context.inverse[static_cast<std::size_t>(r)] = inverse;
    map_of(y).row(r) = normed.cwiseProduct(w.row(0)) + b.row(0);
  }
  return y;
}

template <class T>
Matrix<T> layer_norm_backward(const NormContext<T>& context, const Matrix<T>& d_y,
                              std::span<const T> weight, std::span<T> d_weight,
                              std::span<T> d_bias) {
  const auto normed = map_of(context.normed);
  map_of(d_weight, 1, d_y.cols) += map_of(d_y).cwiseProduct(normed).colwise().sum();
  add_bias_backward(d_y, d_bias);
  Matrix<T> d_x(d_y.rows, d_y.cols);
  const auto w = map_of(weight, 1, d_y.cols);
  const auto width = static_cast<T>(d_y.cols);
  for (Count r = 0; r < d_y.rows; ++r) {
    auto d = map_of(d_x).row(r);
    d = map_of(d_y).row(r).cwiseProduct(w.row(0));
    const T mean = d.sum() / width, along = d.dot(normed.row(r)) / width;
    d = (d.array() - mean).matrix() - along * normed.row(r);
    d *= context.inverse[static_cast<std::size_t>(r)];
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
  d_logits = Matrix<T>(logits.rows, logits.cols);
  double loss = 0;
  for (Count r = 0; r < logits.rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    const auto y = map_of(logits).row(r);
    auto d = map_of(d_logits).row(r);
    const T largest = y.maxCoeff();
    d = (y.array() - largest).exp();
    const T sum = d.sum();
    loss += std::log(double(sum)) - double(y(target) - largest);
    d /= sum;
    d(target) -= 1;
    d *= static_cast<T>(scale);
  }
  return loss * scale;
}

// Of each type: all of layers.h.
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
