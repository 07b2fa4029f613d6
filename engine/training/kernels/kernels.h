// The inner loops of training, compiled for several processors; the best ones are chosen when the program runs.
//
// All arrays have the samples of a batch side by side: a picture's element (channel, row, column) of sample b lies at
// ((channel * height + row) * width + column) * batch + b. A row of a picture is then one long vector, and no loop is
// shorter than the batch.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope::training {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* at, std::size_t /*count*/) noexcept { ::operator delete(at, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// All convolutions are 5 x 5, with stride 1 and no border (a border is part of the input).
constexpr int kKernelSize = 5;

/// in: [in_channels][in_height][in_width][batch]; out: [out_channels][in_height - 4][in_width - 4][batch];
/// weights: [out_channels][in_channels][5][5].
struct ConvShape {
  int in_channels = 0, in_height = 0, in_width = 0;
  int out_channels = 0;
  int batch = 0;
  int out_height() const noexcept { return in_height - kKernelSize + 1; }
  int out_width() const noexcept { return in_width - kKernelSize + 1; }
};

/// x: [inputs][batch], y: [outputs][batch], weights: [outputs][inputs].
struct DenseShape {
  int inputs = 0, outputs = 0, batch = 0;
};

/// From [channels][height][width][batch] to half the height and width, in squares of 2 x 2.
struct PoolShape {
  int channels = 0, height = 0, width = 0, batch = 0;
};

enum class Activation { tanh, relu };
enum class Pooling { average, max };

/// The compute kernels for one kind of processor. T is float or double. No function keeps memory that it allocates.
template <class T>
struct Kernels {
  std::string_view name;  ///< "AVX-512", "AVX2", "any processor"

  /// `bias` may be null: none.
  void (*convolve)(const ConvShape&, const T* in, const T* weights, const T* bias, T* out);
  /// Adds to d_weights and d_bias their derivatives, given d_out.
  void (*convolve_weights)(const ConvShape&, const T* in, const T* d_out, T* d_weights, T* d_bias);

  void (*dense)(const DenseShape&, const T* x, const T* weights, const T* bias, T* y);
  /// Sets d_x, unless it is null; adds to d_weights and d_bias.
  void (*dense_backward)(const DenseShape&, const T* x, const T* d_y, const T* weights, T* d_x,
                         T* d_weights, T* d_bias);

  void (*activate)(Activation, std::size_t count, T* values);
  /// d_values *= the activation's derivative, from its results.
  void (*activate_backward)(Activation, std::size_t count, const T* results, T* d_values);

  void (*pool)(const PoolShape&, Pooling, const T* in, T* out);
  /// Sets d_in.
  void (*pool_backward)(const PoolShape&, Pooling, const T* in, const T* out, const T* d_out,
                        T* d_in);

  /// velocity = momentum * velocity + gradient; parameters -= step * velocity.
  void (*sgd_step)(std::size_t count, T step, T momentum, const T* gradient, T* velocity,
                   T* parameters);
};

/// Returns the kernels that this processor can run, the best first; never empty.
template <class T>
std::span<const Kernels<T>* const> usable_kernels();

extern template std::span<const Kernels<float>* const> usable_kernels<float>();
extern template std::span<const Kernels<double>* const> usable_kernels<double>();

}  // namespace rankscope::training
