// Order statistics of repeated measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace rankscope {

struct Summary {
  std::size_t samples = 0;
  double min = 0, median = 0, p99 = 0, max = 0;
};
Summary summarize(std::vector<double> values);

/// Returns the q-quantile, 0 <= q <= 1, by linear interpolation between the two nearest samples; 0 if there are none.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

}  // namespace rankscope
