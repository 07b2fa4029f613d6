// Lets messages from one rank to another be matched in the order in which they were posted, whichever arrives first.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/core/base/ranges.h"
#include "transports/sim/sim_message.h"

namespace rankscope {

class PairOrder {
 public:
  void number(SimMessage& message) { message.number = ++pair_of(message).posted; }

  /// `message` has arrived. Appends what may be delivered now.
  void arrived(SimMessage* message, std::vector<SimMessage*>& ready) {
    Pair& pair = pair_of(*message);
    if (message->number != pair.delivered + 1) return pair.early.push_back(message);
    ready.push_back(message);
    ++pair.delivered;
    while (!pair.early.empty()) {
      const auto next = ranges::find(pair.early, pair.delivered + 1, &SimMessage::number);
      if (next == pair.early.end()) return;
      ready.push_back(*next);
      pair.early.erase(next);
      ++pair.delivered;
    }
  }

 private:
  struct Pair {
    std::uint64_t posted = 0, delivered = 0;
    std::vector<SimMessage*> early;
  };
  Pair& pair_of(const SimMessage& message) {
    return pairs_[(static_cast<std::uint64_t>(message.from()) << 32) |
                  static_cast<std::uint32_t>(message.to())];
  }
  std::unordered_map<std::uint64_t, Pair> pairs_;
};

}  // namespace rankscope
