#include "lessons/coding/inputs.h"

#include <fmt/format.h>

#include "lessons/random.h"

namespace rankscope {
namespace {

constexpr int kLargest = 12;  // of an input: sums of 16 ranks fit every type

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

}  // namespace

std::vector<double> input_of(const CodeCase& one, Rank rank) {
  const Count count = Shape(one.shape).count();
  RandomNumbers random(one.seed * 1'000'003 + static_cast<std::uint64_t>(rank) * 7919 + 17);
  std::vector<double> values;
  const double base = base_of(one.dtype);
  for (Count i = 0; i < count; ++i)
    values.push_back(base + static_cast<double>(1 + random.below(kLargest)));
  return values;
}

ResultCase result_case(const CodingExercise& exercise, const CodeCase& one) {
  ResultCase out;
  out.ranks = one.ranks;
  out.shape = Shape(one.shape);
  out.root = one.root;
  out.scatter_dim = one.dims.first;
  out.gather_dim = one.dims.second;
  const auto& name = exercise.call.collective;
  out.kind = name == "broadcast"        ? ResultCase::Kind::broadcast
             : name == "allgather"      ? ResultCase::Kind::allgather
             : name == "reduce_scatter" ? ResultCase::Kind::reduce_scatter
             : name == "alltoall"       ? ResultCase::Kind::alltoall
                                        : ResultCase::Kind::allreduce;
  return out;
}

std::vector<double> values_for(const CodingExercise& exercise, const CodeCase& one, Rank rank) {
  return one.telling ? telling_input(result_case(exercise, one), rank) : input_of(one, rank);
}

std::string own_name(const CodeCase& one) { return fmt::format("Ada {}", one.seed % 1000); }

double passed_on(const CodeCase& one) {
  return 100'000'007.0 + static_cast<double>(one.seed % 1000);
}

}  // namespace rankscope
