// The messages of a trace: each send with the receive that matched it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope {

inline constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};

/// A message. Positions are indices in the trace's order, kNoEvent if the event did not happen or was not recorded.
struct MessageRecord {
  OpId send = 0, recv = 0;
  Rank from = -1, to = -1;
  std::uint64_t bytes = 0;
  Tag tag = 0;
  std::uint64_t sent = kNoEvent;       ///< The send was posted.
  std::uint64_t send_done = kNoEvent;  ///< The send completed.
  std::uint64_t recv_posted = kNoEvent, matched = kNoEvent, received = kNoEvent;
  bool sync = false;  ///< Internal (split, start), not of the algorithm.
};

/// Returns a trace's messages in the order in which they were sent. Both ranks are in the world.
std::vector<MessageRecord> messages(const Trace& trace);

/// Returns when an event began, on the clock of Trace::time_ns().
std::int64_t begin_ns(const Trace& trace, std::uint64_t k) noexcept;

}  // namespace rankscope
