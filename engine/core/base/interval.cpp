// Sorts, joins and subtracts intervals.
#include "engine/core/base/interval.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// Returns the intervals sorted, without empty ones, and merged where they touch or overlap.
std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& one) { return one.end <= one.begin; });
  ranges::sort(intervals, {}, &Interval::begin);
  std::vector<Interval> out;
  for (const Interval& one : intervals) {
    if (!out.empty() && one.begin <= out.back().end)
      out.back().end = std::max(out.back().end, one.end);
    else out.push_back(one);
  }
  return out;
}

}  // namespace

std::int64_t covered(std::vector<Interval> intervals) {
  std::int64_t sum = 0;
  for (const Interval& one : joined(std::move(intervals))) sum += one.length();
  return sum;
}

std::vector<Interval> without(std::vector<Interval> intervals, std::vector<Interval> others) {
  const auto covers = joined(std::move(others));
  std::vector<Interval> out;
  for (Interval rest : joined(std::move(intervals))) {
    for (const Interval& cover : covers) {
      if (cover.end <= rest.begin) continue;
      if (cover.begin >= rest.end) break;
      if (cover.begin > rest.begin) out.push_back({rest.begin, cover.begin});
      rest.begin = std::min(cover.end, rest.end);
    }
    if (rest.begin < rest.end) out.push_back(rest);
  }
  return out;
}

}  // namespace rankscope
