// Sets of intervals of time: what they cover, and what of them others leave.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope {

/// From `begin` up to `end`; in nanoseconds, or in any other unit.
struct Interval {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const noexcept { return end - begin; }
  bool operator==(const Interval&) const = default;
};

/// The length of all that at least one of them covers.
std::int64_t covered(std::vector<Interval> intervals);
/// What of `intervals` none of `others` covers, in order and without overlap.
std::vector<Interval> without(std::vector<Interval> intervals, std::vector<Interval> others);

}  // namespace rankscope
