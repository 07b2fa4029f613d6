// The project's only chunk arithmetic: how a count of elements is cut into parts.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// Elements [offset, offset + count) of a buffer.
struct Range {
  Count offset = 0;
  Count count = 0;
  Count end() const noexcept { return offset + count; }
  bool operator==(const Range&) const = default;
};

/// `count` elements cut into `parts` consecutive chunks. The first `count % parts` chunks are one
/// element longer than the others; chunks may be empty (count < parts).
class Partition {
 public:
  /// Throws UserError for a negative count or parts < 1.
  Partition(Count count, int parts);

  /// Returns a partition into `parts` chunks of `each` elements.
  static Partition uniform(Count each, int parts) { return {each * parts, parts}; }
  /// Returns a partition into as few chunks of nearly equal length as have at most `length` elements each; into one chunk
  /// if `count` is 0 or `length` is less than 1.
  static Partition segments(Count count, Count length);

  int parts() const noexcept { return parts_; }
  Count count() const noexcept { return count_; }
  /// Length of the longest chunk.
  Count longest() const noexcept { return base_ + (longer_ > 0 ? 1 : 0); }

  /// Chunk i, 0 <= i < parts().
  Range operator[](int chunk) const noexcept;
  /// Chunks first .. last-1 as one range.
  Range span(int first, int last) const noexcept;
  /// Returns the chunk that holds an element (0 <= element < count()).
  int chunk_of(Count element) const noexcept;

 private:
  Count offset_of(int chunk) const noexcept;

  Count count_;
  int parts_;
  Count base_ = 0;
  Count longer_ = 0;
};

/// i mod n with a result in [0, n), for negative i too.
constexpr int wrap(int i, int n) noexcept { return ((i % n) + n) % n; }

/// The smallest L with 2^L >= n (n >= 1).
constexpr int ceil_log2(int n) noexcept {
  int log = 0;
  while ((1LL << log) < n) ++log;
  return log;
}
/// The largest L with 2^L <= n (n >= 1).
constexpr int floor_log2(int n) noexcept {
  int log = 0;
  while ((2LL << log) <= n) ++log;
  return log;
}
constexpr bool is_power_of_two(int n) noexcept { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace rankscope
