// Counts messages, rounds and bytes in the events of a run.
#pragma once

#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope::test {

/// One message of an algorithm (not of the machinery), as sender and receiver told it.
struct Sent {
  Rank from = -1, to = -1;
  std::uint64_t bytes = 0;
  std::uint64_t in_offset = 0;  ///< In bytes, in the sender's buffer.
  int round = 0;                ///< From 1.
  std::uint32_t phase = 0;      ///< Definition id on the sender.
};

struct Traffic {
  std::vector<Sent> messages;  ///< By sender, then in the order of sending.
  int rounds = 0;
  std::uint64_t busiest_bytes = 0;  ///< Sent by the rank that sends most.
  std::vector<Sent> sent_by(Rank rank) const;
};

/// round(m) = 1 + the largest round among the sender's earlier sends, the receiver's earlier
/// receives and the receives that the sender completed before it posted m; each strand counts for
/// itself.
Traffic traffic_of(const std::vector<EventBatch>& batches, int world_size);

}  // namespace rankscope::test
