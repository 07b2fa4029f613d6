// LeNet-5's loss and gradient.
#include "engine/training/network/lenet5.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/training/made_up_pictures.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

constexpr std::size_t kBatch = 5;

template <class T>
struct Batch {
  AlignedVector<T> pixels = AlignedVector<T>(kBatch * LeNet5Layout::kPixels);
  std::vector<std::uint8_t> labels = std::vector<std::uint8_t>(kBatch);
  Batch() {
    const PictureData data = test::made_up_pictures(kBatch, 1);
    std::vector<std::uint32_t> all(kBatch);
    std::iota(all.begin(), all.end(), 0U);
    take_batch<T>(data, data.train, all, pixels, labels);
  }
};

template <class T>
AlignedVector<T> gradient_of(const LeNet5Options& options, const Kernels<T>& kernels) {
  const Batch<T> batch;
  const auto parameters = initial_parameters<T>(3);
  LeNet5<T> network(options, kBatch, kernels);
  network.forward(parameters, batch.pixels, batch.labels);
  AlignedVector<T> gradient(LeNet5Layout::kParameters, T(7));  // what was there does not count
  network.backward(parameters, gradient);
  return gradient;
}

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

constexpr LeNet5Options kVariants[] = {{Activation::tanh, Pooling::average},
                                       {Activation::tanh, Pooling::max},
                                       {Activation::relu, Pooling::average},
                                       {Activation::relu, Pooling::max}};

}  // namespace

TEST_CASE("training: LeNet-5 has 61,706 parameters, named and placed one after the other",
          "[training]") {
  std::size_t next = 0;
  for (const ParameterInfo& one : LeNet5Layout::parameters()) {
    CHECK(one.offset == next);
    CHECK(one.count == std::size_t(one.shape[0] * one.shape[1] * one.shape[2] * one.shape[3]));
    next += one.count;
  }
  CHECK(next == 61706);
  CHECK(initial_parameters<float>(1).size() == next);
}

TEST_CASE("training: initial parameters are within their bounds, and those of the seed",
          "[training]") {
  const auto values = initial_parameters<double>(1);
  CHECK(values == initial_parameters<double>(1));
  CHECK(values != initial_parameters<double>(2));
  for (const ParameterInfo& one : LeNet5Layout::parameters()) {
    double most = 0, mean = 0;
    for (std::size_t i = one.offset; i < one.offset + one.count; ++i) {
      most = std::max(most, std::abs(values[i]));
      mean += values[i] / double(one.count);
    }
    INFO(one.name);
    CHECK(most <= 1 / std::sqrt(double(one.fan_in)));
    CHECK(most > 0.5 / std::sqrt(double(one.fan_in)));
    CHECK(std::abs(mean) < 1 / std::sqrt(double(one.fan_in)));
  }
}

TEST_CASE("training: the gradient is the loss's slope, in all parameters and variants",
          "[training]") {
  // Along each tensor's own gradient: a step there changes the loss by its norm, if the gradient is right.
  const Batch<double> batch;
  for (const LeNet5Options& options : kVariants)
    for (const Kernels<double>* kernels : usable_kernels<double>()) {
      const auto gradient = gradient_of<double>(options, *kernels);
      LeNet5<double> network(options, kBatch, *kernels);
      for (const ParameterInfo& one : LeNet5Layout::parameters()) {
        const std::vector<double> part(gradient.begin() + std::ptrdiff_t(one.offset),
                                       gradient.begin() + std::ptrdiff_t(one.offset + one.count));
        const double slope = norm(part);
        REQUIRE(slope > 1e-6);
        const auto loss_at = [&](double step) {
          auto parameters = initial_parameters<double>(3);
          for (std::size_t i = 0; i < one.count; ++i)
            parameters[one.offset + i] += step * part[i] / slope;
          return network.forward(parameters, batch.pixels, batch.labels).loss;
        };
        constexpr double kStep = 1e-6;
        const double measured = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
        INFO(fmt::format("{}, activation {}, pooling {}, {}", kernels->name,
                         int(options.activation), int(options.pooling), one.name));
        CHECK(std::abs(measured - slope) < 1e-5 * (1 + slope));
      }
      // And single parameters, where a mistaken place would show. Kinks are rare enough for a few.
      if (options.activation == Activation::tanh && options.pooling == Pooling::average)
        for (std::size_t i = 0; i < LeNet5Layout::kParameters; i += 1009) {
          auto parameters = initial_parameters<double>(3);
          const double middle = parameters[i];
          parameters[i] = middle + 1e-5;
          const double above = network.forward(parameters, batch.pixels, batch.labels).loss;
          parameters[i] = middle - 1e-5;
          const double below = network.forward(parameters, batch.pixels, batch.labels).loss;
          INFO(i);
          CHECK(std::abs((above - below) / 2e-5 - gradient[i]) < 1e-7);
        }
    }
}

TEST_CASE("training: all processors' kernels and both precisions give the same gradient",
          "[training]") {
  for (const LeNet5Options& options : kVariants) {
    const auto exact = gradient_of<double>(options, *usable_kernels<double>().back());
    for (const Kernels<float>* kernels : usable_kernels<float>()) {
      const auto single = gradient_of<float>(options, *kernels);
      std::vector<double> difference(exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) difference[i] = double(single[i]) - exact[i];
      INFO(kernels->name);
      CHECK(norm(difference) < 1e-4 * norm(exact));
    }
  }
}

TEST_CASE("training: the loss of even outputs is ln 10, and right ones are counted", "[training]") {
  const Batch<double> batch;
  LeNet5<double> network({}, kBatch, *usable_kernels<double>().front());
  AlignedVector<double> parameters(LeNet5Layout::kParameters);
  CHECK(std::abs(network.forward(parameters, batch.pixels, batch.labels).loss - std::log(10.0)) <
        1e-12);
  // The last bias alone decides: all are taken for class 4.
  parameters[LeNet5Layout::kParameters - 10 + 4] = 50;
  const BatchResult result = network.forward(parameters, batch.pixels, batch.labels);
  CHECK(result.right == std::count(batch.labels.begin(), batch.labels.end(), 4));
}
