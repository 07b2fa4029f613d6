// LeNet-5: forward, loss and backward, layer by layer.
#include "engine/training/network/lenet5.h"

#include <algorithm>
#include <cmath>

#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"

namespace rankscope::training {
namespace {

constexpr int kBorder = 2;  // around the picture, so that C1 has 28 x 28
constexpr int kPadded = LeNet5Layout::kSide + 2 * kBorder;
constexpr int kBordered = 10 + 2 * (kKernelSize - 1);  // C3's derivative with zeros around it

enum Place { conv1_w, conv1_b, conv2_w, conv2_b, fc1_w, fc1_b, fc2_w, fc2_b, fc3_w, fc3_b };

constexpr std::array<ParameterInfo, 10> kParameters{{
    {"conv1.weight", {6, 1, 5, 5}, 0, 150, 25},
    {"conv1.bias", {6, 1, 1, 1}, 150, 6, 25},
    {"conv2.weight", {16, 6, 5, 5}, 156, 2400, 150},
    {"conv2.bias", {16, 1, 1, 1}, 2556, 16, 150},
    {"fc1.weight", {120, 400, 1, 1}, 2572, 48000, 400},
    {"fc1.bias", {120, 1, 1, 1}, 50572, 120, 400},
    {"fc2.weight", {84, 120, 1, 1}, 50692, 10080, 120},
    {"fc2.bias", {84, 1, 1, 1}, 60772, 84, 120},
    {"fc3.weight", {10, 84, 1, 1}, 60856, 840, 84},
    {"fc3.bias", {10, 1, 1, 1}, 61696, 10, 84},
}};
static_assert(kParameters.back().offset + kParameters.back().count == LeNet5Layout::kParameters);

enum Layer : std::size_t { conv1, conv2, fc1, fc2, fc3 };

constexpr LayerInfo layer_of(std::string_view name, Place weight, Place bias) {
  return {name, kParameters[weight].offset, kParameters[weight].count + kParameters[bias].count};
}
constexpr std::array<LayerInfo, 5> kLayers{
    {layer_of("conv1", conv1_w, conv1_b), layer_of("conv2", conv2_w, conv2_b),
     layer_of("fc1", fc1_w, fc1_b), layer_of("fc2", fc2_w, fc2_b), layer_of("fc3", fc3_w, fc3_b)}};

template <class T>
T* at(std::span<T> all, Place place) {
  return all.data() + kParameters[place].offset;
}

}  // namespace

std::span<const ParameterInfo> LeNet5Layout::parameters() { return training::kParameters; }
std::span<const LayerInfo> LeNet5Layout::layers() { return training::kLayers; }

template <class T>
AlignedVector<T> initial_parameters(std::uint64_t seed) {
  RandomNumbers random(seed);
  AlignedVector<T> out;
  out.reserve(LeNet5Layout::kParameters);
  for (const ParameterInfo& one : kParameters) {
    const double bound = 1 / std::sqrt(double(one.fan_in));
    for (std::size_t i = 0; i < one.count; ++i)
      out.push_back(static_cast<T>(bound * (double(random.next() >> 11U) * 0x1p-52 - 1)));
  }
  return out;
}
template AlignedVector<float> initial_parameters<float>(std::uint64_t);
template AlignedVector<double> initial_parameters<double>(std::uint64_t);

template <class T>
LeNet5<T>::LeNet5(const LeNet5Options& options, int batch, const Kernels<T>& kernels)
    : options_(options),
      batch_(batch),
      run_(kernels),
      conv1_{1, kPadded, kPadded, 6, batch},
      conv2_{6, 14, 14, 16, batch},
      pool1_{6, 28, 28, batch},
      pool2_{16, 10, 10, batch},
      fc1_{400, 120, batch},
      fc2_{120, 84, batch},
      fc3_{84, LeNet5Layout::kClasses, batch} {
  const auto sized = [&](AlignedVector<T>& a, int elements) {
    a.assign(static_cast<std::size_t>(elements) * static_cast<std::size_t>(batch_), T(0));
  };
  sized(picture_, kPadded * kPadded);
  for (auto* both : {&c1_, &d_c1_}) sized(*both, 6 * 28 * 28);
  for (auto* both : {&s2_, &d_s2_}) sized(*both, 6 * 14 * 14);
  for (auto* both : {&c3_, &d_c3_}) sized(*both, 16 * 10 * 10);
  sized(bordered_, 16 * kBordered * kBordered);
  for (auto* both : {&s4_, &d_s4_}) sized(*both, fc1_.inputs);
  for (auto* both : {&c5_, &d_c5_}) sized(*both, fc2_.inputs);
  for (auto* both : {&f6_, &d_f6_}) sized(*both, fc3_.inputs);
  for (auto* both : {&out_, &d_out_}) sized(*both, LeNet5Layout::kClasses);
  turned_.resize(kParameters[conv2_w].count);
}

template <class T>
void LeNet5<T>::place(std::span<const T> pixels) {
  const auto batch = static_cast<std::size_t>(batch_);
  for (std::size_t y = 0; y < LeNet5Layout::kSide; ++y)
    for (std::size_t x = 0; x < LeNet5Layout::kSide; ++x) {
      T* into = &picture_[((y + kBorder) * kPadded + x + kBorder) * batch];
      const T* from = &pixels[y * LeNet5Layout::kSide + x];
      for (std::size_t b = 0; b < batch; ++b) into[b] = from[b * LeNet5Layout::kPixels];
    }
}

template <class T>
BatchResult LeNet5<T>::score(std::span<const std::uint8_t> labels) {
  constexpr std::size_t kClasses = LeNet5Layout::kClasses;
  const auto batch = static_cast<std::size_t>(batch_);
  BatchResult result;
  for (std::size_t b = 0; b < batch; ++b) {
    std::array<T, kClasses> y{};
    for (std::size_t i = 0; i < kClasses; ++i) y.at(i) = out_[i * batch + b];
    const auto largest = std::max_element(y.begin(), y.end());
    result.right += largest - y.begin() == labels[b] ? 1 : 0;
    const T shift = *largest;
    T sum = 0;
    for (T& one : y) sum += one = std::exp(one - shift);
    result.loss += double(std::log(sum)) - double(out_[labels[b] * batch + b] - shift);
    for (std::size_t i = 0; i < kClasses; ++i)
      d_out_[i * batch + b] = (y.at(i) / sum - (i == labels[b] ? T(1) : T(0))) / T(batch_);
  }
  result.loss /= batch_;
  return result;
}

template <class T>
BatchResult LeNet5<T>::forward(std::span<const T> parameters, std::span<const T> pixels,
                               std::span<const std::uint8_t> labels) {
  const auto activate = [&](AlignedVector<T>& a) {
    run_.activate(options_.activation, a.size(), a.data());
  };
  const auto of = [&](Place place) { return at(parameters, place); };
  place(pixels);
  run_.convolve(conv1_, picture_.data(), of(conv1_w), of(conv1_b), c1_.data());
  activate(c1_);
  run_.pool(pool1_, options_.pooling, c1_.data(), s2_.data());
  run_.convolve(conv2_, s2_.data(), of(conv2_w), of(conv2_b), c3_.data());
  activate(c3_);
  run_.pool(pool2_, options_.pooling, c3_.data(), s4_.data());
  run_.dense(fc1_, s4_.data(), of(fc1_w), of(fc1_b), c5_.data());
  activate(c5_);
  run_.dense(fc2_, c5_.data(), of(fc2_w), of(fc2_b), f6_.data());
  activate(f6_);
  run_.dense(fc3_, f6_.data(), of(fc3_w), of(fc3_b), out_.data());
  return score(labels);
}

template <class T>
void LeNet5<T>::backward_conv2(std::span<const T> parameters, std::span<T> gradient) {
  run_.pool_backward(pool2_, options_.pooling, c3_.data(), s4_.data(), d_s4_.data(), d_c3_.data());
  run_.activate_backward(options_.activation, c3_.size(), c3_.data(), d_c3_.data());
  run_.convolve_weights(conv2_, s2_.data(), d_c3_.data(), at(gradient, conv2_w),
                        at(gradient, conv2_b));
  // S2's derivative is C3's, with zeros around it, convolved with the rotated weights.
  constexpr std::size_t kTaps = kKernelSize * kKernelSize, kMargin = kKernelSize - 1;
  const T* weights = at(parameters, conv2_w);
  for (std::size_t o = 0; o < 16; ++o)
    for (std::size_t k = 0; k < 6; ++k)
      std::reverse_copy(weights + (o * 6 + k) * kTaps, weights + (o * 6 + k + 1) * kTaps,
                        turned_.begin() + static_cast<std::ptrdiff_t>((k * 16 + o) * kTaps));
  const std::size_t row = 10 * static_cast<std::size_t>(batch_);
  for (std::size_t line = 0; line < 16 * 10UL; ++line) {
    const std::size_t y = line / 10 * kBordered + line % 10 + kMargin;
    std::copy_n(&d_c3_[line * row], row,
                &bordered_[(y * kBordered + kMargin) * static_cast<std::size_t>(batch_)]);
  }
  run_.convolve({16, kBordered, kBordered, 6, batch_}, bordered_.data(), turned_.data(), nullptr,
                d_s2_.data());
}

template <class T>
void LeNet5<T>::backward(std::span<const T> parameters, std::span<T> gradient,
                         const LayerDone& done) {
  const auto through = [&](const AlignedVector<T>& y, T* d_y) {
    run_.activate_backward(options_.activation, y.size(), y.data(), d_y);
  };
  const auto of = [&](Place place) { return at(parameters, place); };
  const auto into = [&](Place place) { return at(gradient, place); };
  const auto finish = [&](Layer layer) {
    if (done) done(layer);
  };
  ranges::fill(gradient, T(0));
  run_.dense_backward(fc3_, f6_.data(), d_out_.data(), of(fc3_w), d_f6_.data(), into(fc3_w),
                      into(fc3_b));
  finish(fc3);
  through(f6_, d_f6_.data());
  run_.dense_backward(fc2_, c5_.data(), d_f6_.data(), of(fc2_w), d_c5_.data(), into(fc2_w),
                      into(fc2_b));
  finish(fc2);
  through(c5_, d_c5_.data());
  run_.dense_backward(fc1_, s4_.data(), d_c5_.data(), of(fc1_w), d_s4_.data(), into(fc1_w),
                      into(fc1_b));
  finish(fc1);
  backward_conv2(parameters, gradient);
  finish(conv2);
  run_.pool_backward(pool1_, options_.pooling, c1_.data(), s2_.data(), d_s2_.data(), d_c1_.data());
  through(c1_, d_c1_.data());
  run_.convolve_weights(conv1_, picture_.data(), d_c1_.data(), into(conv1_w), into(conv1_b));
  finish(conv1);
}

template class LeNet5<float>;
template class LeNet5<double>;

}  // namespace rankscope::training
