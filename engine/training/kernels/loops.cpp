// The kernels, compiled once for each kind of processor (CMakeLists.txt), each time in another namespace. Convolutions
// are written here, since the packaged libraries have none; matrix products and tanh are Eigen's.
//
// These objects must not share inline functions of the standard library or Eigen: the linker would keep any one of
// them, which another processor might not be able to run. So nothing of the standard library is called here, and Eigen
// has another namespace each time.
#include <cstddef>

#define Eigen RANKSCOPE_EIGEN_NAMESPACE
#include <Eigen/Core>

#include "engine/training/kernels/kernels.h"

namespace rankscope::training::RANKSCOPE_PROCESSOR {
namespace {

/// A vector of the processor: numbers that one instruction computes with.
template <class T>
struct Lane {
  static constexpr int kCount = RANKSCOPE_VECTOR_BYTES / sizeof(T);
  typedef T Vector __attribute__((vector_size(RANKSCOPE_VECTOR_BYTES)));
  typedef T Unaligned
      __attribute__((vector_size(RANKSCOPE_VECTOR_BYTES), aligned(alignof(T)), may_alias));

  static Vector load(const T* at) noexcept { return *reinterpret_cast<const Unaligned*>(at); }
  static void store(T* at, Vector v) noexcept { *reinterpret_cast<Unaligned*>(at) = v; }
};

/// The same as Lane with one number, for the rest of a row.
template <class T>
struct Single {
  static constexpr int kCount = 1;
  using Vector = T;
  static T load(const T* at) noexcept { return *at; }
  static void store(T* at, T v) noexcept { *at = v; }
};

// ---- Convolution --------------------------------------------------------------------------------

/// A convolution's arrays, and how many elements lie between their rows and their planes.
template <class T>
struct Conv {
  ConvShape shape;
  const T* in;
  const T* weights;
  const T* bias;
  T* out;
  std::ptrdiff_t batch, in_row, in_plane, out_row, out_plane;

  Conv(const ConvShape& of, const T* x, const T* w, const T* b, T* y)
      : shape(of), in(x), weights(w), bias(b), out(y), batch(of.batch) {
    in_row = of.in_width * batch;
    in_plane = of.in_height * in_row;
    out_row = of.out_width() * batch;
    out_plane = of.out_height() * out_row;
  }
};

/// Computes `Outputs` channels from `channel` on, `Vectors` vectors from `at` in row `y`, all in registers.
template <class L, int Outputs, int Vectors, class T>
inline __attribute__((always_inline)) void convolve_tile(const Conv<T>& c, int channel, int y,
                                                         std::ptrdiff_t at) {
  typename L::Vector sum[Outputs][Vectors];
  for (int o = 0; o < Outputs; ++o)
    for (int v = 0; v < Vectors; ++v)
      sum[o][v] = typename L::Vector{} + (c.bias == nullptr ? T(0) : c.bias[channel + o]);
  const int taps = c.shape.in_channels * kKernelSize * kKernelSize;
  const T* weight = c.weights + std::ptrdiff_t{channel} * taps;
  for (int k = 0; k < c.shape.in_channels; ++k)
    for (int ky = 0; ky < kKernelSize; ++ky) {
      const T* row = c.in + k * c.in_plane + (y + ky) * c.in_row + at;
#pragma GCC unroll 5
      for (int kx = 0; kx < kKernelSize; ++kx, ++weight, row += c.batch) {
        typename L::Vector x[Vectors];
        for (int v = 0; v < Vectors; ++v) x[v] = L::load(row + v * L::kCount);
        for (int o = 0; o < Outputs; ++o)
          for (int v = 0; v < Vectors; ++v) sum[o][v] += x[v] * weight[std::ptrdiff_t{o} * taps];
      }
    }
  for (int o = 0; o < Outputs; ++o)
    for (int v = 0; v < Vectors; ++v)
      L::store(c.out + (channel + o) * c.out_plane + y * c.out_row + at + v * L::kCount, sum[o][v]);
}

template <int Outputs, int Vectors, class T>
void convolve_rows(const Conv<T>& c, int channel) {
  constexpr std::ptrdiff_t step = std::ptrdiff_t{Vectors} * Lane<T>::kCount;
  for (int y = 0; y < c.shape.out_height(); ++y) {
    std::ptrdiff_t at = 0;
    for (; at + step <= c.out_row; at += step)
      convolve_tile<Lane<T>, Outputs, Vectors>(c, channel, y, at);
    // The last tile may overlap the one before; a row shorter than a tile is computed number by number.
    if (at < c.out_row && c.out_row >= step)
      convolve_tile<Lane<T>, Outputs, Vectors>(c, channel, y, c.out_row - step);
    else
      for (; at < c.out_row; ++at) convolve_tile<Single<T>, Outputs, 1>(c, channel, y, at);
  }
}

template <class T>
void convolve(const ConvShape& shape, const T* in, const T* weights, const T* bias, T* out) {
  const Conv<T> c(shape, in, weights, bias, out);
  int channel = 0;
  for (; channel + 6 <= shape.out_channels && shape.out_channels % 4 != 0; channel += 6)
    convolve_rows<6, 2>(c, channel);
  for (; channel + 4 <= shape.out_channels; channel += 4) convolve_rows<4, 3>(c, channel);
  for (; channel < shape.out_channels; ++channel) convolve_rows<1, 4>(c, channel);
}

template <class V>
inline auto sum_of(const V& vector) noexcept {
  constexpr int kCount = sizeof(V) / sizeof(vector[0]);
  auto out = vector[0];
  for (int i = 1; i < kCount; ++i) out += vector[i];
  return out;
}

/// Adds to d_weights for `Outputs` channels of the output, one of the input, and one row of the kernel.
template <int Outputs, class T>
void convolve_weights_row(const Conv<T>& c, const T* d_out, int channel, int k, int ky,
                          T* d_weights) {
  using L = Lane<T>;
  typename L::Vector sum[Outputs][kKernelSize] = {};
  T rest[Outputs][kKernelSize] = {};
  for (int y = 0; y < c.shape.out_height(); ++y) {
    const T* x = c.in + k * c.in_plane + (y + ky) * c.in_row;
    const T* d = d_out + channel * c.out_plane + y * c.out_row;
    std::ptrdiff_t at = 0;
    for (; at + L::kCount <= c.out_row; at += L::kCount) {
      typename L::Vector g[Outputs];
      for (int o = 0; o < Outputs; ++o) g[o] = L::load(d + o * c.out_plane + at);
#pragma GCC unroll 5
      for (int kx = 0; kx < kKernelSize; ++kx) {
        const typename L::Vector v = L::load(x + at + kx * c.batch);
        for (int o = 0; o < Outputs; ++o) sum[o][kx] += g[o] * v;
      }
    }
    for (; at < c.out_row; ++at)
      for (int o = 0; o < Outputs; ++o)
        for (int kx = 0; kx < kKernelSize; ++kx)
          rest[o][kx] += d[o * c.out_plane + at] * x[at + kx * c.batch];
  }
  const std::ptrdiff_t taps = std::ptrdiff_t{c.shape.in_channels} * kKernelSize * kKernelSize;
  for (int o = 0; o < Outputs; ++o)
    for (int kx = 0; kx < kKernelSize; ++kx)
      d_weights[(channel + o) * taps + (k * kKernelSize + ky) * kKernelSize + kx] +=
          sum_of(sum[o][kx]) + rest[o][kx];
}

template <class T>
void convolve_weights(const ConvShape& shape, const T* in, const T* d_out, T* d_weights,
                      T* d_bias) {
  constexpr int kOutputs = RANKSCOPE_VECTOR_BYTES == 64 ? 4 : 2;
  const Conv<T> c(shape, in, nullptr, nullptr, nullptr);
  int channel = 0;
  for (; channel + kOutputs <= shape.out_channels; channel += kOutputs)
    for (int k = 0; k < shape.in_channels; ++k)
      for (int ky = 0; ky < kKernelSize; ++ky)
        convolve_weights_row<kOutputs>(c, d_out, channel, k, ky, d_weights);
  for (; channel < shape.out_channels; ++channel)
    for (int k = 0; k < shape.in_channels; ++k)
      for (int ky = 0; ky < kKernelSize; ++ky)
        convolve_weights_row<1>(c, d_out, channel, k, ky, d_weights);
  for (channel = 0; channel < shape.out_channels; ++channel)
    d_bias[channel] += Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(
                           d_out + channel * c.out_plane, c.out_plane)
                           .sum();
}

// ---- Dense layers, activations, the step --------------------------------------------------------

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using Values = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using ConstValues = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

template <class T>
void dense(const DenseShape& s, const T* x, const T* weights, const T* bias, T* y) {
  Eigen::Map<Rows<T>> out(y, s.outputs, s.batch);
  out.colwise() = Eigen::Map<const Column<T>>(bias, s.outputs);
  out.noalias() += Eigen::Map<const Rows<T>>(weights, s.outputs, s.inputs) *
                   Eigen::Map<const Rows<T>>(x, s.inputs, s.batch);
}

template <class T>
void dense_backward(const DenseShape& s, const T* x, const T* d_y, const T* weights, T* d_x,
                    T* d_weights, T* d_bias) {
  const Eigen::Map<const Rows<T>> d(d_y, s.outputs, s.batch);
  Eigen::Map<Rows<T>>(d_weights, s.outputs, s.inputs).noalias() +=
      d * Eigen::Map<const Rows<T>>(x, s.inputs, s.batch).transpose();
  Eigen::Map<Column<T>>(d_bias, s.outputs) += d.rowwise().sum();
  if (d_x != nullptr)
    Eigen::Map<Rows<T>>(d_x, s.inputs, s.batch).noalias() =
        Eigen::Map<const Rows<T>>(weights, s.outputs, s.inputs).transpose() * d;
}

template <class T>
void activate(Activation kind, std::size_t count, T* values) {
  Values<T> v(values, static_cast<Eigen::Index>(count));
  if (kind == Activation::tanh) v = v.tanh();
  else v = v.max(T(0));
}

template <class T>
void activate_backward(Activation kind, std::size_t count, const T* results, T* d_values) {
  Values<T> d(d_values, static_cast<Eigen::Index>(count));
  const ConstValues<T> y(results, static_cast<Eigen::Index>(count));
  if (kind == Activation::tanh) d *= T(1) - y.square();
  else d = (y > T(0)).select(d, T(0));
}

template <class T>
void sgd_step(std::size_t count, T step, T momentum, const T* gradient, T* velocity,
              T* parameters) {
  const auto size = static_cast<Eigen::Index>(count);
  Values<T> v(velocity, size), x(parameters, size);
  v = momentum * v + ConstValues<T>(gradient, size);
  x -= step * v;
}

// ---- Pooling ------------------------------------------------------------------------------------

template <class T>
void pool(const PoolShape& s, Pooling kind, const T* in, T* out) {
  const std::ptrdiff_t row = std::ptrdiff_t{s.width} * s.batch;
  for (int line = 0; line < s.channels * s.height / 2; ++line)
    for (int column = 0; column < s.width / 2; ++column) {
      const T* a = in + 2 * line * row + 2 * column * std::ptrdiff_t{s.batch};
      for (int b = 0; b < s.batch; ++b, ++a, ++out) {
        const T w = a[0], x = a[s.batch], y = a[row], z = a[row + s.batch];
        if (kind == Pooling::average) {
          *out = T(0.25) * ((w + x) + (y + z));
        } else {
          const T upper = w > x ? w : x, lower = y > z ? y : z;
          *out = upper > lower ? upper : lower;
        }
      }
    }
}

/// The first of equal largest values takes the gradient.
template <class T>
void pool_backward(const PoolShape& s, Pooling kind, const T* in, const T* out, const T* d_out,
                   T* d_in) {
  const std::ptrdiff_t batch = s.batch, row = s.width * batch;
  for (int line = 0; line < s.channels * s.height / 2; ++line)
    for (int column = 0; column < s.width / 2; ++column) {
      const std::ptrdiff_t square = 2 * line * row + 2 * column * batch;
      for (int b = 0; b < s.batch; ++b, ++out, ++d_out) {
        const T* from = in + square + b;
        T* into = d_in + square + b;
        if (kind == Pooling::average) {
          into[0] = into[batch] = into[row] = into[row + batch] = T(0.25) * *d_out;
        } else {
          const bool w = from[0] == *out, x = !w && from[batch] == *out,
                     y = !w && !x && from[row] == *out, z = !w && !x && !y;
          into[0] = w ? *d_out : T(0);
          into[batch] = x ? *d_out : T(0);
          into[row] = y ? *d_out : T(0);
          into[row + batch] = z ? *d_out : T(0);
        }
      }
    }
}

template <class T>
constexpr Kernels<T> kKernels{RANKSCOPE_PROCESSOR_NAME, convolve<T>, convolve_weights<T>,  dense<T>,
                              dense_backward<T>,        activate<T>, activate_backward<T>, pool<T>,
                              pool_backward<T>,         sgd_step<T>};

}  // namespace

extern const Kernels<float> of_float;
const Kernels<float> of_float = kKernels<float>;
#if RANKSCOPE_KERNELS_OF_DOUBLE
extern const Kernels<double> of_double;
const Kernels<double> of_double = kKernels<double>;
#endif

}  // namespace rankscope::training::RANKSCOPE_PROCESSOR
