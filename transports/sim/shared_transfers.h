// Messages on a network whose links are shared: they queue at ports, and their bytes flow as the network says.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "transports/sim/message_ports.h"
#include "transports/sim/sim_message.h"

namespace rankscope {

class SharedTransfers {
 public:
  /// Who plans what follows.
  struct Listener {
    virtual ~Listener() = default;
    /// To call begin_flow(), or release(), at that time.
    virtual void plan_flow(SimMessage* message, SimTime at) = 0;
    virtual void plan_release(SimMessage* message, SimTime at) = 0;
    virtual void plan_arrival(SimMessage* message, SimTime at) = 0;
    /// A link of its route broke, and no other route is left.
    virtual void lost(SimMessage* message, std::string why) = 0;
  };

  SharedTransfers(Network& network, const MessageTerms& terms, int ranks, Listener& listener);

  void post(SimMessage* message, SimTime now);
  void begin_flow(SimMessage* message, SimTime now);
  /// The ports of a message are free again.
  void release(SimMessage* message, SimTime now);
  /// When the next transfer ends.
  std::optional<SimTime> next_end();
  void advance(SimTime now);
  /// Of its route.
  SimTime latency(const SimMessage& message) const;

 private:
  using Queue = std::deque<SimMessage*>;
  /// The ports that a message takes: one out and one in; with half duplex they are of one kind.
  Queue& out(Rank rank) { return out_[static_cast<std::size_t>(rank)]; }
  Queue& in(Rank rank) {
    return (terms_.ports == PortModel::half ? out_ : in_)[static_cast<std::size_t>(rank)];
  }
  bool latency_first() const noexcept {
    return terms_.ports == PortModel::none || terms_.holds_latency;
  }
  double seconds(SimTime now) noexcept { return clock_ = std::max(clock_, now.seconds()); }
  void start_if_first(Queue& queue, SimTime now);
  void start(SimMessage* message, SimTime now);
  void flowed(SimMessage* message, SimTime now);
  void leave(Queue& queue, SimMessage* message);

  Network& network_;
  const MessageTerms terms_;
  Listener& listener_;
  std::vector<Queue> out_, in_;
  std::unordered_map<TransferId, SimMessage*> flowing_;
  std::vector<Network::Ended> ended_;
  double clock_ =
      0;  ///< What the network has heard: its time never goes back, however times are rounded.
};

}  // namespace rankscope
