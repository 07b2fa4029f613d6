// A buffer's contents while they are followed: shares in segments, which are read and written by ranges.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/account/shares.h"
#include "engine/core/base/ranges.h"

namespace rankscope::account {

/// The shares of the elements from `begin` up to the next segment.
struct Segment {
  Count begin = 0;
  Shares shares = {};
  bool operator==(const Segment&) const = default;

  /// Returns the same segment from a later element on.
  Segment from(Count element) const { return {element, shares.further(element - begin)}; }
  bool continues(const Segment& before) const {
    return shares == before.shares.further(begin - before.begin);
  }
};

/// Consecutive elements in segments; the first one begins at 0.
struct Memory {
  Count count = 0;
  std::vector<Segment> segments;
  bool operator==(const Memory&) const = default;

  void append(Segment segment) {
    if (segments.empty() || !segment.continues(segments.back())) segments.push_back(segment);
  }

  Memory read(Range range) const {
    Memory part{range.count, {}};
    if (range.count <= 0) return part;
    auto at = ranges::upper_bound(segments, range.offset, {}, &Segment::begin);
    for (--at; at != segments.end() && at->begin < range.end(); ++at) {
      Segment segment = at->from(std::max(at->begin, range.offset));
      segment.begin -= range.offset;
      part.append(segment);
    }
    return part;
  }

  // Touches only the segments around the range, because buffers have many, and most writes are small.
  void write(Count offset, const Memory& what) {
    if (what.count <= 0) return;
    const Count end = offset + what.count;
    const auto first = ranges::lower_bound(segments, offset, {}, &Segment::begin);
    auto last = std::ranges::lower_bound(first, segments.end(), end, {}, &Segment::begin);
    Memory part;
    const bool follows = first != segments.begin();  // its segment may continue
    if (follows) part.append(*std::prev(first));
    for (Segment segment : what.segments) {
      segment.begin += offset;
      part.append(segment);
    }
    if (last != segments.end() && last->begin == end) part.append(*last++);
    else if (end < count && last != segments.begin()) part.append(std::prev(last)->from(end));
    const auto kept = part.segments.begin() + (follows ? 1 : 0);
    const auto size = std::distance(kept, part.segments.end());
    if (const auto there = std::distance(first, last); size <= there) {
      segments.erase(std::copy(kept, part.segments.end(), first), last);
    } else {
      const auto after = std::copy(kept, kept + there, first);
      segments.insert(after, kept + there, part.segments.end());
    }
  }
};

inline Memory uniform(Count count, const Shares& shares) {
  return {count, count > 0 ? std::vector<Segment>{{0, shares}} : std::vector<Segment>{}};
}

inline Memory unknown(Count count) { return uniform(count, Shares::unknown()); }

/// Adds element by element, by `add`; unknown where `b` is too short.
template <class Add>
Memory sum_of(const Memory& a, const Memory& b, const Add& add) {
  Memory result{a.count, {}};
  std::size_t i = 0, j = 0;
  for (Count at = 0; at < a.count;) {
    while (i + 1 < a.segments.size() && a.segments[i + 1].begin <= at) ++i;
    while (j + 1 < b.segments.size() && b.segments[j + 1].begin <= at) ++j;
    const bool more = j < b.segments.size() && at < b.count;
    result.append({at, more ? add(a.segments[i].from(at).shares, b.segments[j].from(at).shares)
                            : Shares::unknown()});
    Count next = i + 1 < a.segments.size() ? a.segments[i + 1].begin : a.count;
    if (j + 1 < b.segments.size()) next = std::min(next, b.segments[j + 1].begin);
    else if (at < b.count) next = std::min(next, b.count);
    at = next;
  }
  return result;
}

}  // namespace rankscope::account
