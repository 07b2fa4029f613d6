// Generates the inputs, model parameters and arguments of each rank in a case.
#include "lessons/coding/inputs.h"

#include <fmt/format.h>

#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "lessons/coding/lenet_results.h"

namespace rankscope {
namespace {

// The least input: sums of 16 ranks are exact in every type, and no message of fewer bytes holds it.
std::int64_t largest_of(DType dtype) { return dtype == DType::uint8 ? 12 : std::int64_t{1} << 18; }

// Numbers that a narrower type would round: who works in float32 throughout is found out.
double base_of(DType dtype) {
  switch (dtype) {
    case DType::int32: return 1 << 25;
    case DType::int64:
    case DType::float64: return static_cast<double>(std::int64_t{1} << 40);
    case DType::uint8:
    case DType::float32: break;
  }
  return 0;
}

std::vector<double> plain(const training::AlignedVector<double>& values) {
  return {values.begin(), values.end()};
}

void add_lenet(const LenetSize& size, std::uint64_t seed, Rank rank, std::vector<ModelInput>& out) {
  constexpr Count kSide = training::LeNet5Layout::kSide;
  const LenetData data = lenet_data(size, seed);
  for (const LenetPictures* pictures : {&data.train, &data.test}) {
    const auto count = static_cast<Count>(pictures->size());
    out.push_back({"", {count, 1, kSide, kSide}, plain(pictures->pixels)});
    out.push_back({"", {count}, {pictures->labels.begin(), pictures->labels.end()}});
  }
  const LenetParameters begin = lenet_begin(seed, rank);
  for (const training::ParameterInfo& one : training::LeNet5Layout::parameters()) {
    const std::size_t dims = one.name.ends_with(".bias") ? 1 : one.name.starts_with("conv") ? 4 : 2;
    const auto from = begin.begin() + static_cast<std::ptrdiff_t>(one.offset);
    out.push_back({std::string(one.name),
                   {one.shape.begin(), one.shape.begin() + static_cast<std::ptrdiff_t>(dims)},
                   {from, from + static_cast<std::ptrdiff_t>(one.count)}});
  }
}

}  // namespace

std::vector<double> input_of(const CodeCase& one, Rank rank) {
  const Count count = one.shape.count();
  RandomNumbers random(one.seed * 1'000'003 + static_cast<std::uint64_t>(rank) * 7919 + 17);
  std::vector<double> values;
  const double base = base_of(one.dtype);
  const std::int64_t largest = largest_of(one.dtype);
  const std::int64_t least = one.dtype == DType::uint8 ? 1 : -largest;
  for (Count i = 0; i < count; ++i) {
    const auto above = random.below(static_cast<std::uint64_t>(largest - least + 1));
    values.push_back(base + static_cast<double>(least + static_cast<std::int64_t>(above)));
  }
  return values;
}

std::vector<double> values_for(const CodeCase& one, Rank rank) {
  if (one.counted) return counted_input(one, rank);
  return one.traceable ? traceable_input(one, rank) : input_of(one, rank);
}

BlockSize block_size(const CodeCase& one) {
  return {one.ranks, one.shape[0], one.shape[1], one.shape[2], one.heads, one.inner};
}

bool asks_for_losses(const CodingExercise& exercise) {
  return ranges::any_of(exercise.rules, [](const CodingRule& rule) {
    return rule.judge == CodingRule::Judge::losses;
  });
}

SgdSize sgd_size(const CodingExercise& exercise, const CodeCase& one) {
  const CodingCall& call = exercise.call;
  return {one.ranks,       one.shape[0], one.shape[1],  call.hidden,
          call.batch_size, call.steps,   call.step_size};
}

std::vector<std::string> block_shard_names(const CodingExercise& exercise, const CodeCase& one) {
  std::vector<std::string> out;
  if (exercise.call.harness != CodingCall::Harness::tensor_parallel) return out;
  for (const BlockParameter& parameter : block_parameters(block_size(one), one.seed))
    if (const auto name = shard_name(parameter); !name.empty()) out.push_back(name);
  return out;
}

Matrix block_argument(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  const bool same = exercise.call.harness == CodingCall::Harness::tensor_parallel;
  RandomNumbers random(one.seed * 1'000'003 + (same ? 0 : static_cast<std::uint64_t>(rank)) + 29);
  Matrix out(one.shape[0] * one.shape[1], one.shape[2]);
  for (double& value : out.at) value = (static_cast<double>(random.below(513)) - 256) / 128;
  return out;
}

namespace {

std::vector<double> numbers_of(const Matrix& matrix) {
  return {matrix.at.begin(), matrix.at.end()};
}

}  // namespace

std::vector<ModelInput> model_inputs(const CodingExercise& exercise, const CodeCase& one,
                                     Rank rank) {
  using Harness = CodingCall::Harness;
  std::vector<ModelInput> out;
  const auto harness = exercise.call.harness;
  if (harness == Harness::sgd) {
    const SgdSize size = sgd_size(exercise, one);
    const SgdData data = only_own_rows(size, sgd_data(size, one.seed), rank);
    out.push_back({"", {size.samples, size.width}, numbers_of(data.inputs)});
    out.push_back({"", {size.samples, 1}, numbers_of(data.targets)});
    const SgdParameters begin = sgd_begin(size, one.seed, rank);
    for (std::size_t p = 0; p < begin.of.size(); ++p) {
      const auto& [name, is_bias] = kSgdParameters[p];
      out.push_back({name, parameter_shape(begin.of[p], is_bias), numbers_of(begin.of[p])});
    }
  } else if (harness == Harness::lenet) {
    add_lenet(lenet_size(exercise, one), one.seed, rank, out);
  } else if (harness == Harness::tensor_parallel || harness == Harness::ulysses) {
    out.push_back({"", one.shape.extents(), numbers_of(block_argument(exercise, one, rank))});
    for (const BlockParameter& parameter : block_parameters(block_size(one), one.seed)) {
      // A rank that cuts the block does not need the other ranks' parts: there are no numbers in them.
      const Matrix values = harness == Harness::tensor_parallel
                                ? only_own(parameter, rank, one.ranks)
                                : parameter.values;
      out.push_back(
          {parameter.name, parameter_shape(values, parameter.is_bias), numbers_of(values)});
    }
  }
  return out;
}

std::string own_name(const CodeCase& one) { return fmt::format("Ada {}", one.seed % 1000); }

double passed_on(const CodeCase& one) {
  return 5'000'000'007.0 + static_cast<double>(one.seed % 1000);
}

}  // namespace rankscope
