// The rounds of a run: lengths of chains of messages that followed from each other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/account/messages.h"

namespace rankscope {

/// The messages that precede a message in the order of rounds(): indices in Rounds::messages, or kNoMessage. One of each
/// kind is enough, because rounds only grow along a strand's sends and along its receives.
struct MessageOrder {
  static constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};
  std::uint32_t sent_before = kNoMessage;  ///< The sender's last send.
  std::uint32_t known_before =
      kNoMessage;  ///< The last receive that the sender knew to be complete.
  std::uint32_t received_before = kNoMessage;  ///< The receiver's last receive.
};

/// round(m) = 1 + the largest round among the sender's earlier sends, the receiver's earlier receives, and the receives
/// that the sender knew to be complete before it posted m. This is program order (of a rank's strand), never time: the
/// same run on a slow machine has the same rounds. Internal messages have round 0 and do not count.
struct RoundNumbers {
  std::vector<int> round;  ///< By message, from 1.
  int count = 0;           ///< The largest.
};
struct Rounds : RoundNumbers {
  std::vector<MessageRecord> messages;  ///< As messages() gives them.
  std::vector<MessageOrder> order;      ///< By message.
};

Rounds rounds(const Trace& trace);
/// Returns the rounds if only some of the messages count: the others have round 0, but still order those after them.
RoundNumbers rounds_among(const Rounds& all,
                          const std::function<bool(const MessageRecord&)>& counts);

/// The end of each round on each rank, which is a different moment on each, because ranks do not move in step.
struct RoundCuts {
  /// cut[r][k] is rank r's cursor when its part of round k is done: k = 0 before the first message, k = rounds + 1 after
  /// its last event.
  std::vector<std::vector<Cursor>> cut;
  /// True if events follow the last message, such as the division of AVG.
  bool ends_differ = false;
};
RoundCuts round_cuts(const Trace& trace, const Rounds& rounds);

}  // namespace rankscope
