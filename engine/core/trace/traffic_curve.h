// Messages over time in bounded memory, whatever the run's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

/// Messages and bytes in buckets of equal width. When there would be more than `most` buckets, the width doubles and
/// neighbours are added up: sums stay exact, and only their place in time gets coarser.
class TrafficCurve {
 public:
  struct Bucket {
    std::uint64_t messages = 0, bytes = 0;
  };
  static constexpr int kLeastShift = 10, kMostShift = 62;  ///< A bucket's width is 2^shift ns.

  explicit TrafficCurve(std::size_t most) : most_(most) {}
  /// Restores a curve from stored parts. Throws FormatError for invalid ones.
  TrafficCurve(std::size_t most, int shift, std::int64_t first, std::vector<Bucket> buckets);

  void add(std::int64_t time_ns, const Bucket& sent);
  void add(const TrafficCurve& other);

  int shift() const noexcept { return shift_; }
  /// The first bucket begins at first() << shift().
  std::int64_t first() const noexcept { return first_; }
  std::span<const Bucket> buckets() const noexcept { return buckets_; }
  Bucket total() const noexcept;
  /// Returns everything sent before a time, assuming even growth within a bucket.
  Bucket until(std::int64_t time_ns) const noexcept;

 private:
  void make_room(std::int64_t from, std::int64_t to);
  void coarsen();

  std::size_t most_;
  int shift_ = kLeastShift;
  std::int64_t first_ = 0;
  std::vector<Bucket> buckets_;
};

}  // namespace rankscope
