// Every processor's kernels against plain loops.
#include "engine/training/kernels/kernels.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/random.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<T> out(count);
  for (T& one : out) one = static_cast<T>(double(random.next() >> 11) * 0x1p-52 - 1);
  return out;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double(a[i]) - b[i]));
  return most;
}

template <class T>
constexpr double kRounding = sizeof(T) == 4 ? 1e-4 : 1e-12;

/// in, and what is added up in double, of one convolution.
template <class T>
struct PlainConvolution {
  ConvShape s;
  std::vector<T> in, weights, bias, d_out;
  std::vector<double> out, d_weights, d_bias;

  explicit PlainConvolution(const ConvShape& shape) : s(shape) {
    const auto size = [](int a, int b, int c, int d) {
      return std::size_t(a) * std::size_t(b) * std::size_t(c) * std::size_t(d);
    };
    in = random_values<T>(size(s.in_channels, s.in_height, s.in_width, s.batch), 1);
    weights = random_values<T>(size(s.out_channels, s.in_channels, 5, 5), 2);
    bias = random_values<T>(std::size_t(s.out_channels), 3);
    d_out = random_values<T>(size(s.out_channels, s.out_height(), s.out_width(), s.batch), 4);
    out.resize(d_out.size());
    d_weights.resize(weights.size());
    d_bias.resize(bias.size());
    compute();
  }

 private:
  std::size_t at(int height, int width, int channel, int y, int x, int b) const {
    return ((std::size_t(channel) * std::size_t(height) + std::size_t(y)) * std::size_t(width) +
            std::size_t(x)) *
               std::size_t(s.batch) +
           std::size_t(b);
  }
  void tap(int o, int y, int x, int b) {
    const std::size_t to = at(s.out_height(), s.out_width(), o, y, x, b);
    out[to] = double(bias[std::size_t(o)]);
    d_bias[std::size_t(o)] += double(d_out[to]);
    for (int k = 0; k < s.in_channels; ++k)
      for (int i = 0; i < 25; ++i) {
        const std::size_t from = at(s.in_height, s.in_width, k, y + i / 5, x + i % 5, b);
        const std::size_t w = std::size_t((o * s.in_channels + k) * 25 + i);
        out[to] += double(in[from]) * double(weights[w]);
        d_weights[w] += double(in[from]) * double(d_out[to]);
      }
  }
  void compute() {
    for (int o = 0; o < s.out_channels; ++o)
      for (int y = 0; y < s.out_height(); ++y)
        for (int x = 0; x < s.out_width(); ++x)
          for (int b = 0; b < s.batch; ++b) tap(o, y, x, b);
  }
};

template <class T>
void check_convolutions() {
  for (const int batch : {1, 2, 7, 16, 33})
    for (const ConvShape& shape : {ConvShape{1, 32, 32, 6, batch}, ConvShape{6, 14, 14, 16, batch},
                                   ConvShape{16, 18, 18, 6, batch}, ConvShape{2, 6, 5, 7, batch}}) {
      const PlainConvolution<T> plain(shape);
      for (const Kernels<T>* run : usable_kernels<T>()) {
        INFO(fmt::format("{}, {} to {} channels, batch {}", run->name, shape.in_channels,
                         shape.out_channels, batch));
        std::vector<T> out(plain.out.size()), d_weights(plain.weights.size()),
            d_bias(plain.bias.size());
        run->convolve(shape, plain.in.data(), plain.weights.data(), plain.bias.data(), out.data());
        CHECK(largest_difference(out, plain.out) < 10 * kRounding<T>);
        run->convolve_weights(shape, plain.in.data(), plain.d_out.data(), d_weights.data(),
                              d_bias.data());
        const double sums =
            std::sqrt(double(plain.out.size()));  // rounding grows with the terms of a sum
        CHECK(largest_difference(d_weights, plain.d_weights) < sums * kRounding<T>);
        CHECK(largest_difference(d_bias, plain.d_bias) < sums * kRounding<T>);
      }
    }
}

template <class T>
void check_pooling(Pooling kind) {
  const PoolShape s{3, 4, 6, 5};
  const auto in = random_values<T>(3 * 4 * 6 * 5, 5), d_out = random_values<T>(3 * 2 * 3 * 5, 6);
  for (const Kernels<T>* run : usable_kernels<T>()) {
    INFO(run->name);
    std::vector<T> out(d_out.size()), d_in(in.size(), T(9));
    run->pool(s, kind, in.data(), out.data());
    run->pool_backward(s, kind, in.data(), out.data(), d_out.data(), d_in.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t b = i % 5, x = i / 5 % 3, line = i / 15;
      const std::size_t at[] = {(2 * line * 6 + 2 * x) * 5 + b, (2 * line * 6 + 2 * x + 1) * 5 + b,
                                ((2 * line + 1) * 6 + 2 * x) * 5 + b,
                                ((2 * line + 1) * 6 + 2 * x + 1) * 5 + b};
      double mean = 0, most = -9, gradient = 0;
      for (const std::size_t one : at) {
        mean += double(in[one]) / 4;
        most = std::max(most, double(in[one]));
        gradient += double(d_in[one]);
        if (kind == Pooling::max)
          CHECK(double(d_in[one]) == (in[one] == out[i] ? double(d_out[i]) : 0.0));
        else CHECK(std::abs(double(d_in[one]) - double(d_out[i]) / 4) < kRounding<T>);
      }
      CHECK(std::abs(double(out[i]) - (kind == Pooling::max ? most : mean)) < kRounding<T>);
      CHECK(std::abs(gradient - double(d_out[i])) < kRounding<T>);
    }
  }
}

template <class T>
void check_activations() {
  auto values = random_values<T>(1001, 7);
  for (T& one : values) one *= T(4);
  const auto d = random_values<T>(1001, 8);
  for (const Kernels<T>* run : usable_kernels<T>())
    for (const Activation kind : {Activation::tanh, Activation::relu}) {
      INFO(run->name);
      std::vector<T> y = values, d_x = d;
      run->activate(kind, y.size(), y.data());
      run->activate_backward(kind, y.size(), y.data(), d_x.data());
      std::vector<double> plain, plain_d;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double x = double(values[i]), t = std::tanh(x);
        plain.push_back(kind == Activation::tanh ? t : std::max(x, 0.0));
        plain_d.push_back(double(d[i]) * (kind == Activation::tanh ? 1 - t * t : x > 0 ? 1 : 0));
      }
      CHECK(largest_difference(y, plain) < kRounding<T>);
      CHECK(largest_difference(d_x, plain_d) < kRounding<T>);
    }
}

template <class T>
void check_dense() {
  for (const DenseShape& s :
       {DenseShape{400, 120, 32}, DenseShape{84, 10, 1}, DenseShape{3, 5, 7}}) {
    const auto size = [](int a, int b) { return std::size_t(a) * std::size_t(b); };
    const auto x = random_values<T>(size(s.inputs, s.batch), 1),
               w = random_values<T>(size(s.outputs, s.inputs), 2),
               bias = random_values<T>(std::size_t(s.outputs), 3),
               d_y = random_values<T>(size(s.outputs, s.batch), 4);
    std::vector<double> y(d_y.size()), d_x(x.size()), d_w(w.size()), d_bias(bias.size());
    for (std::size_t o = 0; o < bias.size(); ++o)
      for (std::size_t b = 0; b < std::size_t(s.batch); ++b) {
        const std::size_t to = o * std::size_t(s.batch) + b;
        y[to] += double(bias[o]);
        d_bias[o] += double(d_y[to]);
        for (std::size_t i = 0; i < std::size_t(s.inputs); ++i) {
          const std::size_t from = i * std::size_t(s.batch) + b, at = o * std::size_t(s.inputs) + i;
          y[to] += double(w[at]) * double(x[from]);
          d_x[from] += double(w[at]) * double(d_y[to]);
          d_w[at] += double(x[from]) * double(d_y[to]);
        }
      }
    for (const Kernels<T>* run : usable_kernels<T>()) {
      INFO(fmt::format("{}, {} to {}, batch {}", run->name, s.inputs, s.outputs, s.batch));
      std::vector<T> got(y.size()), got_x(x.size()), got_w(w.size()), got_bias(bias.size());
      run->dense(s, x.data(), w.data(), bias.data(), got.data());
      run->dense_backward(s, x.data(), d_y.data(), w.data(), got_x.data(), got_w.data(),
                          got_bias.data());
      CHECK(largest_difference(got, y) < kRounding<T>);
      CHECK(largest_difference(got_x, d_x) < kRounding<T>);
      CHECK(largest_difference(got_w, d_w) < kRounding<T>);
      CHECK(largest_difference(got_bias, d_bias) < kRounding<T>);
    }
  }
}

}  // namespace

TEST_CASE("training: there are kernels for this processor, each with a name of its own",
          "[training]") {
  REQUIRE(!usable_kernels<float>().empty());
  CHECK(usable_kernels<float>().back()->name == "any processor");
  CHECK(usable_kernels<double>().back()->name == "any processor");
  for (std::size_t i = 0; i + 1 < usable_kernels<float>().size(); ++i)
    CHECK(usable_kernels<float>()[i]->name != usable_kernels<float>()[i + 1]->name);
}

TEST_CASE("training: convolutions and their weights' gradients are those of plain loops",
          "[training]") {
  check_convolutions<float>();
  check_convolutions<double>();
}

TEST_CASE("training: pooling, and where its gradient goes", "[training]") {
  for (const Pooling kind : {Pooling::average, Pooling::max}) {
    check_pooling<float>(kind);
    check_pooling<double>(kind);
  }
}

TEST_CASE("training: of equal largest values one takes the whole gradient", "[training]") {
  const std::vector<float> in(4, 2.0F), out{2}, d_out{3};
  for (const Kernels<float>* run : usable_kernels<float>()) {
    INFO(run->name);
    std::vector<float> d_in(4, 9);
    run->pool_backward({1, 2, 2, 1}, Pooling::max, in.data(), out.data(), d_out.data(),
                       d_in.data());
    CHECK(d_in == std::vector<float>{3, 0, 0, 0});
  }
}

TEST_CASE("training: activations and dense layers are those of plain loops", "[training]") {
  check_activations<float>();
  check_activations<double>();
  check_dense<float>();
  check_dense<double>();
}

TEST_CASE("training: a step with momentum", "[training]") {
  for (const Kernels<double>* run : usable_kernels<double>()) {
    INFO(run->name);
    std::vector<double> gradient{1, -2, 4}, velocity{10, 10, 0}, parameters{0, 1, 2};
    run->sgd_step(3, 0.5, 0.1, gradient.data(), velocity.data(), parameters.data());
    CHECK(velocity == std::vector<double>{2, -1, 4});
    CHECK(parameters == std::vector<double>{-1, 1.5, 0});
  }
}
