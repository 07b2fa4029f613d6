// Messages on a network with shared links: once they have their ports, their bytes flow as the network determines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/core/message/link.h"
#include "transports/sim/message_ports.h"

namespace rankscope {

struct SimMessage : PortedMessage {
  Frame frame;
  SimTime begins;  ///< The time since which it has its ports.
  bool release_planned = false,
       delivered = false;  ///< Its memory is reused only once both are over.
  std::uint64_t number =
      0;  ///< Its number among the matched messages of its pair, from 1; 0 if not matched.
  double stretch = 1;  ///< The factor of jitter.
  Rank from() const noexcept { return frame.header.src; }
  Rank to() const noexcept { return frame.header.dst; }
  /// The bytes that flow; 0 for an announcement and its answer.
  std::uint64_t bytes() const noexcept {
    const FrameKind kind = frame.header.kind;
    return kind == FrameKind::eager || kind == FrameKind::data ? frame.header.bytes : 0;
  }
  bool is_matched() const noexcept {
    const FrameKind kind = frame.header.kind;
    return kind == FrameKind::eager || kind == FrameKind::rts;
  }
};

/// Recycles messages.
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

class SharedTransfers {
 public:
  /// The world, which plans later events.
  struct Listener {
    virtual ~Listener() = default;
    /// Plans a call of begin_flow(), or the release of the ports, at that time.
    virtual void plan_flow(SimMessage* message, SimTime at) = 0;
    virtual void plan_release(SimMessage* message, SimTime at) = 0;
    virtual void plan_arrival(SimMessage* message, SimTime at) = 0;
    /// Reports that the message has no route, or that its only route broke.
    virtual void lost(SimMessage* message, std::string why) = 0;
  };

  SharedTransfers(const SimOptions& options, const MessageTerms& terms, MessagePorts& ports,
                  Listener& listener)
      : network_(*options.network),
        switches_(options.switches),
        switch_ends_(options.switch_ends),
        terms_(terms),
        ports_(ports),
        listener_(listener) {}

  /// Notes that a message has its ports.
  void begin(SimMessage* message, SimTime now);
  void begin_flow(SimMessage* message, SimTime now);
  /// Returns when the next transfer ends; nothing if none is under way.
  std::optional<SimTime> next_end();
  void advance(SimTime now);
  /// Returns the latency of the message's route, with its jitter.
  SimTime latency(const SimMessage& message) const;

 private:
  bool latency_first() const noexcept {
    return terms_.ports == PortModel::none || terms_.holds_latency;
  }
  double seconds(SimTime now) noexcept { return clock_ = std::max(clock_, now.seconds()); }
  void flowed(SimMessage* message, SimTime now);

  /// Returns the network's index of a port of MessagePorts.
  Rank end_of(Rank port) const noexcept {
    if (switches_ == nullptr) return port;
    const int places = switches_->places();
    const int place =
        port < places ? port : switches_->parent[static_cast<std::size_t>(port - places)];
    return switches_->is_switch(place) ? switch_ends_ + place - switches_->ranks : place;
  }

  Network& network_;
  const ReducingTree* const switches_;
  const int switch_ends_;
  const MessageTerms terms_;
  MessagePorts& ports_;
  Listener& listener_;
  std::unordered_map<TransferId, SimMessage*> flowing_;
  std::vector<Network::Ended> ended_;
  double clock_ = 0;  ///< The network's time, which never goes back, despite rounding.
};

/// Puts the messages of each pair of ranks into the order of posting.
class PairOrder {
 public:
  void number(SimMessage& message) { message.number = ++pair_of(message).posted; }

  /// Notes that `message` has arrived, and appends the messages that may be delivered now.
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
