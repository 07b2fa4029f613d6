// Shares say whose data a value holds, and how often.
#pragma once

#include <algorithm>
#include <compare>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/base/partition.h"

namespace rankscope::account {

/// One rank's part in a value.
struct Share {
  Rank rank = -1;
  int times = 1;       ///< At least 1; counting stops at kMostTimes.
  Count element = -1;  ///< Index in that rank's data (in a schedule, the chunk); -1 if unknown.

  constexpr Share() = default;
  constexpr Share(Rank whose, Count which = -1, int how_often = 1) noexcept
      : rank(whose), times(how_often), element(which) {}
  auto operator<=>(const Share&) const = default;
};
inline constexpr int kMostTimes = 255;

/// The shares that a value is made of, by rank and element. Copies use the same list.
class Shares {
 public:
  /// Nobody's data: memory that was never written to.
  Shares() = default;
  Shares(Share only) noexcept : only_(only) {}
  /// `list` must be sorted by rank and element, with each pair once.
  explicit Shares(std::vector<Share> list);
  /// The shares of a value whose origin cannot be followed.
  static Shares unknown() noexcept;
  /// Element `element` of each of `ranks` ranks, once.
  static Shares of_all(int ranks, Count element = -1);

  bool known() const noexcept { return only_.times != kUnknown; }
  bool empty() const noexcept { return list().empty(); }
  std::span<const Share> list() const noexcept {
    return several_ ? std::span(*several_) : std::span(&only_, only_.rank < 0 ? 0 : 1);
  }
  auto begin() const noexcept { return list().begin(); }
  auto end() const noexcept { return list().end(); }

  int times(Rank rank) const noexcept;
  int times(Rank rank, Count element) const noexcept;
  /// Returns how often the most frequent share is in the value; 2 or more is a mistake in a reduction.
  int most() const noexcept;
  /// Returns the number of shares. If each rank has at most one, this is the number of ranks whose data is in the
  /// value.
  int count() const noexcept { return static_cast<int>(list().size()); }
  /// Returns whether the value holds each of `ranks` ranks once, and nothing else.
  bool complete(int ranks) const noexcept;
  /// Returns the element that the value is a copy of; null for sums, or if the element is unknown.
  const Share* origin() const noexcept {
    return !several_ && only_.rank >= 0 && only_.element >= 0 && only_.times == 1 ? &only_
                                                                                  : nullptr;
  }
  /// Returns the shares `distance` elements further on, if each share continues its rank's data.
  Shares further(Count distance) const;
  /// "r0+r1", "2·r0", "r1[3]" (element 3 of rank 1's data), "–" (nothing), "?". An index that equals `place` is left
  /// out.
  std::string text(Count place = -1) const;

  std::strong_ordering operator<=>(const Shares& other) const noexcept;
  bool operator==(const Shares& other) const noexcept { return (*this <=> other) == 0; }

 private:
  static constexpr int kUnknown = -1;
  Share only_ = {};  ///< The share of a list of one, as most are.
  std::shared_ptr<const std::vector<Share>> several_;
};

/// Returns the shares of the sum of two values; unknown if one of them is.
Shares sum(const Shares& a, const Shares& b);
/// Returns the same shares without their elements: those of one rank become one share.
Shares without_elements(const Shares& shares);

/// Consecutive elements of a buffer or a result; element k of them holds shares.further(k).
struct Stretch {
  Range elements;
  Shares shares;

  /// The rank of whose data these elements are a copy, and the first element there; -1 for sums, or if unknown.
  Rank origin() const noexcept { return shares.origin() == nullptr ? -1 : shares.origin()->rank; }
  Count origin_element() const noexcept {
    return shares.origin() == nullptr ? -1 : shares.origin()->element;
  }
  bool operator==(const Stretch&) const = default;
};
/// The shares of all elements, in order and without gaps.
using Contents = std::vector<Stretch>;

/// Appends elements; if they continue the last stretch, it becomes longer.
void append(Contents& contents, Count count, const Shares& shares);
/// Returns the shares of the stretch that contains an element; null if none does.
const Shares* shares_at(const Contents& contents, Count element) noexcept;
/// Returns the part of `contents` in a range, with elements counted from the range's beginning.
Contents part_of(const Contents& contents, Range range);
/// Returns the elements that are in both ranges.
inline Range common(Range a, Range b) noexcept {
  const Count begin = std::max(a.offset, b.offset), end = std::min(a.end(), b.end());
  return {begin, std::max<Count>(0, end - begin)};
}

}  // namespace rankscope::account
