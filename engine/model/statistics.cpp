// Computes quantiles, medians and summaries of samples.
#include "engine/model/statistics.h"

#include <algorithm>
#include <cmath>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

}  // namespace

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  ranges::sort(values);
  return {values.size(), values.front(), quantile_of_sorted(values, 0.5),
          quantile_of_sorted(values, 0.99), values.back()};
}

double quantile(std::vector<double> values, double q) {
  ranges::sort(values);
  return quantile_of_sorted(values, q);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace rankscope
