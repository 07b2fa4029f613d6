// Messages on a network whose links are shared: once they have their ports, their bytes flow as the network says.
#pragma once

#include <algorithm>
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
    /// To call begin_flow(), or release the ports, at that time.
    virtual void plan_flow(SimMessage* message, SimTime at) = 0;
    virtual void plan_release(SimMessage* message, SimTime at) = 0;
    virtual void plan_arrival(SimMessage* message, SimTime at) = 0;
    /// A link of its route broke, and no other route is left.
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

  /// A message has its ports.
  void begin(SimMessage* message, SimTime now);
  void begin_flow(SimMessage* message, SimTime now);
  /// When the next transfer ends.
  std::optional<SimTime> next_end();
  void advance(SimTime now);
  /// Of its route.
  SimTime latency(const SimMessage& message) const;

 private:
  bool latency_first() const noexcept {
    return terms_.ports == PortModel::none || terms_.holds_latency;
  }
  double seconds(SimTime now) noexcept { return clock_ = std::max(clock_, now.seconds()); }
  void flowed(SimMessage* message, SimTime now);

  /// Where the network has a port of MessagePorts.
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
  double clock_ =
      0;  ///< What the network has heard: its time never goes back, however times are rounded.
};

}  // namespace rankscope
