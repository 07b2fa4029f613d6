// The order of events: by time, then messages before strands, then by rank, then by order of planning (strands: by
// number).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/base/types.h"
#include "transports/sim/sim_time.h"

namespace rankscope {

/// A heap whose nodes have four children: half as deep as a binary one, and a node's children share cache lines.
template <class What>
class EventQueue {
 public:
  /// The order has room for ranks below 2^24 and 5 * 10^11 events.
  static constexpr int kRankBits = 24;
  struct Event {
    SimTime at;
    std::uint64_t order = 0;
    What what{};
    Rank rank() const noexcept {
      return static_cast<Rank>(order >> kRankShift & ((1U << kRankBits) - 1));
    }
  };

  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }
  const Event& next() const noexcept { return heap_.front(); }
  std::uint64_t planned() const noexcept { return number_; }

  /// The event after next(), if nothing else is planned before it; null if there is none.
  const Event* after_next() const noexcept {
    const Event* second = nullptr;
    for (std::size_t child = 1; child < heap_.size() && child <= 4; ++child)
      if (second == nullptr || before(heap_[child], *second)) second = &heap_[child];
    return second;
  }

  void plan(SimTime at, Rank rank, What what) {
    add({at, static_cast<std::uint64_t>(rank) << kRankShift | ++number_, what});
  }
  /// Plans that a strand goes on: after all other events of that moment, in the order of ranks and strand numbers.
  void plan_strand(SimTime at, Rank rank, std::uint16_t strand, What what) {
    ++number_;
    add({at,
         kStrand | static_cast<std::uint64_t>(rank) << kRankShift |
             static_cast<std::uint64_t>(strand) << kStrandShift,
         what});
  }

  Event take() {
    const Event first = heap_.front();
    const Event moved = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    const std::size_t size = heap_.size();
    std::size_t i = 0;
    for (std::size_t child = 1; child < size; child = 4 * i + 1) {
      const std::size_t last = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (std::size_t c = child + 1; c < last; ++c)
        if (before(heap_[c], heap_[least])) least = c;
      if (!before(heap_[least], moved)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = moved;
    return first;
  }

 private:
  static constexpr int kRankShift = 63 - kRankBits, kStrandShift = kRankShift - 16;
  static constexpr std::uint64_t kStrand = std::uint64_t{1} << 63;

  void add(const Event& event) {
    std::size_t i = heap_.size();
    heap_.push_back(event);
    while (i > 0 && before(event, heap_[(i - 1) / 4])) {
      heap_[i] = heap_[(i - 1) / 4];
      i = (i - 1) / 4;
    }
    heap_[i] = event;
  }
  static bool before(const Event& a, const Event& b) noexcept {
    return a.at < b.at || (a.at == b.at && a.order < b.order);
  }
  std::vector<Event> heap_;
  std::uint64_t number_ = 0;
};

}  // namespace rankscope
