// Asks the account what a collective owes, and compares numbers with it.
#include "engine/analysis/meant/expected.h"

#include <algorithm>
#include <cmath>

namespace rankscope::meant {
namespace {

/// How exact results of a type are, relative to the largest.
double tolerance_of(const std::string& dtype) {
  if (dtype.find("16") != std::string::npos) return 1e-2;
  if (dtype == "float64" || dtype == "float") return 1e-9;
  return dtype == "float32" ? 1e-5 : 1e-12;
}

}  // namespace

std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank) {
  const CollectiveTraits& row = traits(meaning.collective);
  const bool whole = row.out != Extent::chunk && row.out != Extent::regrouped;
  if (inputs.empty() || !account::shares_data(row) || (row.result_at_root && rank != root) ||
      (row.rooted && !row.result_at_root && !inputs.contains(root)) ||
      (!whole && !inputs.contains(rank)))
    return {};
  const auto place = [&](Rank one) {
    const auto at = inputs.find(one);
    return at == inputs.end() ? 0 : static_cast<Rank>(std::distance(inputs.begin(), at));
  };
  account::Call call{.collective = meaning.collective,
                     .ranks = static_cast<int>(inputs.size()),
                     .root = place(root)};
  std::vector<std::vector<double>> values;
  for (const auto& [source, input] : inputs) {
    values.push_back(input);
    call.counts.push_back(std::ssize(input));
    if (row.reduces && input.size() != values.front().size()) return {};
  }
  return account::promised_values(account::promised(call, place(rank)), values, meaning.op);
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
