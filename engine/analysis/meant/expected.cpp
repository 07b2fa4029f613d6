// A serial model of the collectives on given numbers.
#include "engine/analysis/meant/expected.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/base/partition.h"

namespace rankscope::meant {
namespace {

double bitwise(ReduceOp op, double a, double b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (op == ReduceOp::band) return static_cast<double>(x & y);
  if (op == ReduceOp::bor) return static_cast<double>(x | y);
  return static_cast<double>(x ^ y);
}

double combined(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return a + b;
    case ReduceOp::product: return a * b;
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::max: return std::max(a, b);
    case ReduceOp::band:
    case ReduceOp::bor:
    case ReduceOp::bxor: break;
  }
  return bitwise(op, a, b);
}

std::vector<double> part(const std::vector<double>& whole, int parts, int index) {
  const Range range = Partition(static_cast<Count>(whole.size()), parts)[index];
  return {whole.begin() + range.offset, whole.begin() + range.end()};
}

std::vector<double> all_of(const Inputs& inputs) {
  std::vector<double> out;
  for (const auto& [rank, values] : inputs) out.insert(out.end(), values.begin(), values.end());
  return out;
}

/// How exact results of a type are, relative to the largest.
double tolerance_of(const std::string& dtype) {
  if (dtype.find("16") != std::string::npos) return 1e-2;
  if (dtype == "float64" || dtype == "float") return 1e-9;
  return dtype == "float32" ? 1e-5 : 1e-12;
}

}  // namespace

std::vector<double> reduced(ReduceOp op, const Inputs& inputs) {
  std::vector<double> out;
  for (const auto& [rank, values] : inputs) {
    if (out.empty()) {
      out = values;
      continue;
    }
    if (values.size() != out.size()) return {};
    for (std::size_t e = 0; e < out.size(); ++e) out[e] = combined(op, out[e], values[e]);
  }
  if (op == ReduceOp::avg)
    for (double& value : out) value /= static_cast<double>(inputs.size());
  return out;
}

std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank) {
  const int parts = static_cast<int>(inputs.size());
  const auto at = inputs.find(rank);
  const int place = static_cast<int>(std::distance(inputs.begin(), at));
  switch (meaning.collective) {
    case Collective::broadcast:
      return inputs.contains(root) ? inputs.at(root) : std::vector<double>();
    case Collective::reduce:
      return rank == root ? reduced(meaning.op, inputs) : std::vector<double>();
    case Collective::allreduce: return reduced(meaning.op, inputs);
    case Collective::gather: return rank == root ? all_of(inputs) : std::vector<double>();
    case Collective::allgather: return all_of(inputs);
    case Collective::scatter:
      return inputs.contains(root) ? part(inputs.at(root), parts, place) : std::vector<double>();
    case Collective::reduce_scatter: return part(reduced(meaning.op, inputs), parts, place);
    case Collective::alltoall: {
      std::vector<double> out;
      for (const auto& [source, values] : inputs) {
        const auto piece = part(values, parts, place);
        out.insert(out.end(), piece.begin(), piece.end());
      }
      return out;
    }
    case Collective::p2p:
    case Collective::p2p_message:
    case Collective::p2p_shift:
    case Collective::barrier: break;
  }
  return {};
}

std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  const double off = largest * tolerance_of(dtype);
  for (std::size_t e = 0; e < got.size(); ++e) {
    if (std::isnan(got[e]) && std::isnan(expected[e])) continue;
    if (!(std::abs(got[e] - expected[e]) <= off)) return static_cast<std::ptrdiff_t>(e);
  }
  return -1;
}

bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype) {
  return got.size() == expected.size() && !expected.empty() &&
         first_difference(got, expected, dtype) < 0;
}

}  // namespace rankscope::meant
