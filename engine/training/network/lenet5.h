// LeNet-5 (LeCun, Bottou, Bengio, Haffner: Gradient-Based Learning Applied to Document Recognition, Proc. IEEE 1998,
// section II.B) for pictures of 28 x 28, in ten classes, and its gradient.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "engine/training/kernels/kernels.h"

namespace rankscope::training {

/// tanh and average are the paper's, without its trainable factors of the pooling layers and its incomplete
/// connections; softmax and cross-entropy replace its distance layer at the end. relu and max are usual today.
struct LeNet5Options {
  Activation activation = Activation::tanh;
  Pooling pooling = Pooling::average;
};

/// One tensor of parameters, with the name and shape that PyTorch gives it.
struct ParameterInfo {
  std::string_view name;  ///< "conv1.weight"
  std::array<int, 4> shape;
  std::size_t offset, count;  ///< In the vector of all parameters.
  int fan_in;                 ///< Inputs of one output.
};

/// A layer with parameters, which lie side by side.
struct LayerInfo {
  std::string_view name;      ///< "conv1"
  std::size_t offset, count;  ///< In the vector of all parameters.
};

class LeNet5Layout {
 public:
  static constexpr int kSide = 28;  ///< Pixels of a picture's side.
  static constexpr int kPixels = kSide * kSide;
  static constexpr int kClasses = 10;
  static constexpr std::size_t kParameters = 61706;
  static std::span<const ParameterInfo> parameters();
  static std::span<const LayerInfo> layers();  ///< In the order of the forward pass.
};

/// Returns parameters uniform in (-1/sqrt(fan in), 1/sqrt(fan in)), as PyTorch initialises them; float and double
/// differ by rounding only.
template <class T>
AlignedVector<T> initial_parameters(std::uint64_t seed);

struct BatchResult {
  double loss = 0;  ///< Cross-entropy, averaged over the batch (natural logarithm).
  int right = 0;    ///< Pictures whose class has the largest output.
};

/// Called as soon as a layer's part of the gradient is complete, the last layer's first; `layer` is its index in
/// LeNet5Layout::layers(). The backward pass does not touch that part again.
using LayerDone = std::function<void(std::size_t layer)>;

/// The network, with the memory for one size of batch. Only one thread may use it at a time.
template <class T>
class LeNet5 {
 public:
  /// `batch` >= 1. Throws nothing but std::bad_alloc.
  LeNet5(const LeNet5Options& options, int batch, const Kernels<T>& kernels);

  int batch() const noexcept { return batch_; }
  /// pixels: [batch][28][28], normalised; labels: [batch], 0 to 9.
  BatchResult forward(std::span<const T> parameters, std::span<const T> pixels,
                      std::span<const std::uint8_t> labels);
  /// Sets `gradient` (kParameters elements) to that of the last forward()'s loss. Takes the same parameters.
  void backward(std::span<const T> parameters, std::span<T> gradient, const LayerDone& done = {});

 private:
  void place(std::span<const T> pixels);
  BatchResult score(std::span<const std::uint8_t> labels);
  void backward_conv2(std::span<const T> parameters, std::span<T> gradient);

  LeNet5Options options_;
  int batch_;
  const Kernels<T>& run_;
  ConvShape conv1_, conv2_;
  PoolShape pool1_, pool2_;
  DenseShape fc1_, fc2_, fc3_;
  // Each layer's output, and, as d_..., the loss's derivative by it.
  AlignedVector<T> picture_, c1_, s2_, c3_, s4_, c5_, f6_, out_;
  AlignedVector<T> d_c1_, d_s2_, d_c3_, d_s4_, d_c5_, d_f6_, d_out_;
  AlignedVector<T> bordered_,
      turned_;  ///< d_c3_ with zeros around it; conv2's weights, turned round.
};

extern template class LeNet5<float>;
extern template class LeNet5<double>;

}  // namespace rankscope::training
