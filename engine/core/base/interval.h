// Sets of time intervals: their union and difference.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope {

/// The half-open interval [begin, end), in nanoseconds or any other unit.
struct Interval {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const noexcept { return end - begin; }
  bool operator==(const Interval&) const = default;
};

/// Returns the length of the union.
std::int64_t covered(std::vector<Interval> intervals);
/// Returns the parts of `intervals` that none of `others` covers, in order and without overlap.
std::vector<Interval> without(std::vector<Interval> intervals, std::vector<Interval> others);

}  // namespace rankscope
