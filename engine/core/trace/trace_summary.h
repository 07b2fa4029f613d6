// A trace file's summary without its events: when the groups of ranks have events in each block, and how much they send
// to each other over time. A file of very many events is opened and drawn from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/base/bytes.h"
#include "engine/core/trace/event.h"
#include "engine/core/trace/event_codec.h"

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

/// Grows event by event. Ranks are combined into at most kMostGroups groups of neighbours. All times are on the ranks'
/// own clocks, because a writer learns their offsets only at the end.
class TraceSummary {
 public:
  static constexpr int kMostGroups = 40;
  static constexpr std::size_t kMostBuckets = 4096, kMostFlowBuckets = 128;

  /// A group's events in a block.
  struct Part {
    std::uint32_t group = 0, events = 0;
    std::int64_t min_ns = 0, max_ns = 0;
    bool operator==(const Part&) const = default;
  };
  using Parts = std::vector<Part>;

  explicit TraceSummary(int world = 0);
  int world() const noexcept { return world_; }
  int groups() const noexcept { return static_cast<int>(sent_.size()); }
  int group_of(Rank rank) const noexcept {
    return static_cast<int>(static_cast<std::int64_t>(rank) * groups() / world_);
  }
  /// Returns false once an event named a rank outside the world.
  bool valid() const noexcept { return valid_; }

  /// Adds events of one rank, in its order, from the file's event block of this number (from 0). `shift_ns` is added to
  /// their times.
  void add(std::size_t block, std::span<const StepEvent> events, std::int64_t shift_ns = 0);
  void add(std::size_t block, const EventDigest& events, std::int64_t shift_ns = 0);
  void add(const TraceSummary& other);

  /// The known facts about an unread block.
  struct Outline {
    std::uint32_t events = 0;
    std::int64_t min_ns = 0, max_ns = 0;  ///< On a clock shared by all groups.
  };
  /// Adds a block as if it were like the only block of `like`, spread evenly over its time. `shifts` holds, by group,
  /// the offset to add to get times on the shared clock.
  void add_like(std::size_t block, const Outline& outline, const TraceSummary& like,
                std::span<const std::int64_t> shifts);

  /// By event block, ordered by group.
  const std::vector<Parts>& blocks() const noexcept { return blocks_; }
  const TrafficCurve& sent(int group) const { return sent_.at(static_cast<std::size_t>(group)); }
  /// Messages from one group to another, by the sender's clock.
  const TrafficCurve& flow(int from, int to) const { return flows_.at(flow_at(from, to)); }

  void encode(ByteWriter& out) const;
  /// Throws FormatError for data that encode() does not write. The contents must still be compared with the file's
  /// blocks.
  static TraceSummary decode(ByteReader& in);

 private:
  Part& part_of(std::size_t block, int group);
  bool take_rank(Rank rank);
  void count(int from, std::int64_t time_ns, Rank peer, std::uint64_t bytes);
  void add_part(std::size_t block, const Part& part);
  std::size_t flow_at(int from, int to) const noexcept {
    return static_cast<std::size_t>(from * groups() + to);
  }

  int world_;
  bool valid_ = true;
  std::vector<Parts> blocks_;
  std::vector<TrafficCurve> sent_;   // by group
  std::vector<TrafficCurve> flows_;  // groups x groups
};

}  // namespace rankscope
