// The models by which exercises on Transformers and on training are judged: what holds of them whatever their
// numbers, and that every known mistake gives something else.
#include <cmath>
#include <set>
#include <string>

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

}  // namespace
}  // namespace rankscope
