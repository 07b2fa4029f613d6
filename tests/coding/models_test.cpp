// The models by which exercises on Transformers and on training are judged: what holds of them whatever their
// numbers, and that every known mistake gives something else.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include "lessons/coding/inputs.h"
#include "lessons/coding/model_results.h"
#include "lessons/coding/sgd_model.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

double apart(const Matrix& a, const Matrix& b) {
  REQUIRE(a.at.size() == b.at.size());
  double most = 0;
  for (std::size_t i = 0; i < a.at.size(); ++i) most = std::max(most, std::abs(a.at[i] - b.at[i]));
  return most;
}

Matrix numbers(Count rows, Count cols, int seed) {
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < out.at.size(); ++i)
    out.at[i] = std::sin(static_cast<double>(i * 7 + static_cast<std::size_t>(seed) * 31 + 1));
  return out;
}

TEST_CASE("A block cut by its width returns what the whole one does", "[coding][models]") {
  const BlockSize one{1, 2, 3, 16, 4, 8}, four{4, 2, 3, 16, 4, 8};
  const auto parameters = block_parameters(one, 5);
  const Matrix x = numbers(6, 16, 1);
  const auto whole = tensor_parallel(one, parameters, x);
  for (const Matrix& part : tensor_parallel(four, parameters, x))
    CHECK(apart(part, whole[0]) < 1e-12);
}

TEST_CASE("A block cut by the sequence returns the parts of what the whole one does",
          "[coding][models]") {
  const BlockSize one{1, 2, 4, 8, 2, 8}, two{2, 2, 2, 8, 2, 8};
  const auto parameters = block_parameters(one, 6);
  const Matrix x = numbers(8, 8, 2);
  std::vector<Matrix> parts{Matrix(4, 8), Matrix(4, 8)};
  const auto row_of = [](Count b, Count rank, Count i) { return b * 4 + rank * 2 + i; };
  const auto each = [&](auto&& what) {
    for (Count rank = 0; rank < 2; ++rank)
      for (Count b = 0; b < 2; ++b)
        for (Count i = 0; i < 2; ++i)
          for (Count c = 0; c < 8; ++c) what(rank, b * 2 + i, row_of(b, rank, i), c);
  };
  each([&](Count rank, Count own, Count row, Count c) {
    parts[static_cast<std::size_t>(rank)](own, c) = x(row, c);
  });
  const auto whole = tensor_parallel(one, parameters, x);
  const auto got = ulysses(two, parameters, parts);
  double most = 0;
  each([&](Count rank, Count own, Count row, Count c) {
    most = std::max(most, std::abs(got[static_cast<std::size_t>(rank)](own, c) - whole[0](row, c)));
  });
  CHECK(most < 1e-12);
  CHECK(apart(ulysses(one, parameters, {x})[0], whole[0]) < 1e-12);
}

TEST_CASE("Every known mistake in a block gives another result than all others",
          "[coding][models]") {
  // Enough inner units that some of each rank's are above zero for some token.
  const BlockSize size{2, 1, 3, 8, 4, 24};
  const auto parameters = block_parameters(size, 7);
  const Matrix x = numbers(3, 8, 3);
  std::vector<std::vector<Matrix>> seen{tensor_parallel(size, parameters, x)};
  std::set<std::string_view> words;
  const auto add = [&](std::vector<Matrix> result, std::string_view says) {
    INFO(says);
    CHECK(words.insert(says).second);
    for (const auto& other : seen)
      CHECK(apart(result[0], other[0]) + apart(result[1], other[1]) > 1e-2);
    seen.push_back(std::move(result));
  };
  for (const auto& fault : tensor_parallel_faults())
    add(tensor_parallel(size, parameters, x, fault), fault.says);
  const std::vector<Matrix> parts{numbers(3, 8, 4), numbers(3, 8, 5)};
  seen = {ulysses(size, parameters, parts)};
  for (const auto& fault : ulysses_faults())
    add(ulysses(size, parameters, parts, fault), fault.says);
}

TEST_CASE("A rank's part of a weight is all that it is given", "[coding][models]") {
  for (const BlockParameter& one : block_parameters({2, 1, 1, 8, 2, 4}, 8)) {
    const Matrix own = only_own(one, 1, 2), shard = shard_of(one, 1, 2);
    std::size_t there = 0;
    for (const double value : own.at) there += std::isnan(value) ? 0 : 1;
    CHECK(there == shard.at.size());
    CHECK(shard_name(one).empty() ==
          (one.cut == BlockCut::whole || (one.is_bias && one.name != "fc1.bias")));
  }
}

TEST_CASE("Distributed descent: N ranks with equal data are one", "[coding][models]") {
  const SgdSize one{1, 32, 4, 3, 32, 3, 0.25};
  const auto alone = sgd(one, 9);
  // The gradient of a whole batch is the average of those of its halves.
  const SgdSize two{2, 32, 4, 3, 16, 1, 0.25};
  SgdFault averaged;
  averaged.of_parameters = false;
  const auto by_parameters = sgd(two, 9), by_gradients = sgd(two, 9, averaged);
  for (std::size_t p = 0; p < 4; ++p) {
    CHECK(apart(by_parameters[0].of[p], by_gradients[0].of[p]) < 1e-12);
    CHECK(apart(by_parameters[0].of[p], by_parameters[1].of[p]) == 0);
  }
  CHECK(apart(alone[0].of[0], sgd_begin(one, 9, 0).of[0]) > 1e-2);
}

TEST_CASE("Every known mistake in a training leaves other parameters", "[coding][models]") {
  const SgdSize size{3, 288, 4, 3, 16, 5, 0.25};
  std::vector<std::vector<SgdParameters>> seen{sgd(size, 10)};
  for (const SgdFault& fault : sgd_faults()) {
    INFO(fault.says);
    auto result = sgd(size, 10, fault);
    for (const auto& other : seen) {
      double far = 0;
      for (std::size_t rank = 0; rank < 3; ++rank)
        for (std::size_t p = 0; p < 4; ++p) far += apart(result[rank].of[p], other[rank].of[p]);
      CHECK(far > 1e-3);
    }
    seen.push_back(std::move(result));
  }
}

// ---- A student's training in float32, judged by the model in float64 ----

using Floats = std::array<std::vector<float>, kSgdParameters.size()>;

/// The last rows first: another order than the model's.
Floats float_gradient(const Floats& at, const SgdData& data, Count first, Count count) {
  const auto width = static_cast<std::size_t>(data.inputs.cols), hidden = at[1].size();
  Floats out;
  for (std::size_t p = 0; p < at.size(); ++p) out[p].resize(at[p].size());
  for (Count row = first + count - 1; row >= first; --row) {
    const auto x = [&](std::size_t c) {
      return static_cast<float>(data.inputs(row, static_cast<Count>(c)));
    };
    std::vector<float> inner;
    float y = at[3][0];
    for (std::size_t j = 0; j < hidden; ++j) {
      float sum = at[1][j];
      for (std::size_t c = 0; c < width; ++c) sum += at[0][j * width + c] * x(c);
      inner.push_back(std::tanh(sum));
      y += at[2][j] * inner[j];
    }
    const float slope =
        2 * (y - static_cast<float>(data.targets(row, 0))) / static_cast<float>(count);
    out[3][0] += slope;
    for (std::size_t j = 0; j < hidden; ++j) {
      const float below = slope * at[2][j] * (1 - inner[j] * inner[j]);
      out[2][j] += slope * inner[j];
      out[1][j] += below;
      for (std::size_t c = 0; c < width; ++c) out[0][j * width + c] += below * x(c);
    }
  }
  return out;
}

struct Student {
  bool divides = true;  ///< The sum over the ranks, by their number.
  bool of_gradients = false;
  bool same_batch = false;
  float step_size = 0.25F;
};

/// All ranks' parameters at the end.
Floats train(const SgdSize& size, std::uint64_t seed, const Student& student) {
  const SgdData data = sgd_data(size, seed);
  const SgdParameters begin = sgd_begin(size, seed, 0);
  Floats at;
  for (std::size_t p = 0; p < at.size(); ++p)
    at[p].assign(begin.of[p].at.begin(), begin.of[p].at.end());
  const float ranks = student.divides ? static_cast<float>(size.ranks) : 1;
  for (int k = 0; k < size.steps; ++k) {
    Floats sum = at;
    for (auto& parameter : sum) std::ranges::fill(parameter, 0.0F);
    for (int rank = 0; rank < size.ranks; ++rank) {
      const Count first = rank * (size.samples / size.ranks);
      const Count batch = student.same_batch ? 0 : k * size.batch;
      const Floats slopes = float_gradient(at, data, first + batch, size.batch);
      for (std::size_t p = 0; p < at.size(); ++p)
        for (std::size_t i = 0; i < at[p].size(); ++i)
          sum[p][i] +=
              student.of_gradients ? slopes[p][i] : at[p][i] - student.step_size * slopes[p][i];
    }
    for (std::size_t p = 0; p < at.size(); ++p)
      for (std::size_t i = 0; i < at[p].size(); ++i) {
        const float mean = sum[p][i] / ranks;
        at[p][i] = student.of_gradients ? at[p][i] - student.step_size * mean : mean;
      }
  }
  return at;
}

CodeFaults judged(int ranks, std::uint64_t seed, const Student& student) {
  CodingExercise exercise;
  exercise.call.harness = CodingCall::Harness::sgd;
  exercise.call.hidden = 3;
  exercise.call.batch_size = 32;
  exercise.call.steps = 5;
  exercise.call.step_size = 0.25;
  CodeCase one;
  one.ranks = ranks;
  one.shape = Shape({192 * ranks, 4});
  one.dtype = DType::float32;
  one.seed = seed;
  const SgdSize size = sgd_size(exercise, one);
  const Floats at = train(size, seed, student);
  capi::AgentReport report;
  for (std::size_t p = 0; p < at.size(); ++p) {
    const auto& [name, is_bias] = kSgdParameters[p];
    auto& result = report.results.emplace_back();
    result.name = std::string("parameter ") + name + "|float32";
    result.dtype = DType::float32;
    result.shape = parameter_shape(sgd_begin(size, seed, 0).of[p], is_bias);
    const auto bytes = std::as_bytes(std::span(at[p]));
    result.data.assign(bytes.begin(), bytes.end());
  }
  return judge_sgd(
      {exercise, one, std::vector<capi::AgentReport>(static_cast<std::size_t>(ranks), report)});
}

TEST_CASE("A sum that is not divided is known whatever the inputs are", "[coding][models]") {
  const auto ranks = GENERATE(2, 4, 8, 9);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(ranks, seed);
    CHECK(judged(ranks, seed, {}).values.empty());
    const auto parameters = judged(ranks, seed, {.divides = false});
    CHECK(parameters.values == "the sum of the parameters is not divided by N");
    CHECK(parameters.near_values == 0.5);
    const auto gradients = judged(ranks, seed, {.divides = false, .of_gradients = true});
    CHECK(gradients.values == "the sum of the gradients is not divided by N");
    CHECK(gradients.near_values == 0.5);
  }
}

TEST_CASE("A second mistake is not taken for the rounding of the first", "[coding][models]") {
  const auto ranks = GENERATE(2, 4, 8, 9);
  const auto student = GENERATE(
      Student{.divides = false, .same_batch = true}, Student{.divides = false, .step_size = 0},
      Student{.divides = false, .step_size = 0.025F},
      Student{.divides = false, .of_gradients = true, .same_batch = true});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(ranks, seed, student.of_gradients, student.same_batch, student.step_size);
    CHECK(judged(ranks, seed, student).near_values == 0);
  }
}

}  // namespace
}  // namespace rankscope
