// A frame on its way through virtual time, and where its memory comes from.
#pragma once

#include <deque>
#include <vector>

#include "engine/core/message/link.h"
#include "transports/sim/message_ports.h"

namespace rankscope {

struct SimMessage : PortedMessage {
  Frame frame;
  SimTime begins;  ///< It has its ports since then.
  bool release_planned = false,
       delivered = false;    ///< Both must be over before its memory is used again.
  std::uint64_t number = 0;  ///< Among those of its pair that are matched, from 1; 0: it is not.
  double stretch = 1;        ///< By jitter.
  Rank from() const noexcept { return frame.header.src; }
  Rank to() const noexcept { return frame.header.dst; }
  /// What flows; an announcement and its answer have none.
  std::uint64_t bytes() const noexcept {
    const FrameKind kind = frame.header.kind;
    return kind == FrameKind::eager || kind == FrameKind::data ? frame.header.bytes : 0;
  }
  bool is_matched() const noexcept {
    const FrameKind kind = frame.header.kind;
    return kind == FrameKind::eager || kind == FrameKind::rts;
  }
};

class SimMessages {
 public:
  SimMessage* take() {
    if (free_.empty()) return &all_.emplace_back();
    SimMessage* const message = free_.back();
    free_.pop_back();
    return message;
  }
  void give_back(SimMessage* message) {
    message->frame.payload = {};
    message->release_planned = message->delivered = false;
    message->number = 0;
    free_.push_back(message);
  }

 private:
  std::deque<SimMessage> all_;
  std::vector<SimMessage*> free_;
};

}  // namespace rankscope
