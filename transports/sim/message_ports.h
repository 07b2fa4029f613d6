// When messages begin and arrive on a network that no two pairs share.
#pragma once

#include <vector>

#include "transports/sim/sim_options.h"
#include "transports/sim/sim_time.h"

namespace rankscope {

/// The terms of a NetworkModel as times.
struct MessageTerms {
  explicit MessageTerms(const NetworkModel& model);
  SimTime alpha, beta, gamma, overhead, gap, byte_overhead;
  PortModel ports;
  /// The alpha-beta reading: a message holds its ports until it has arrived. Else (LogGOPS) the latency comes after.
  bool holds_latency;
};

class MessagePorts {
 public:
  MessagePorts(int ranks, const MessageTerms& terms);
  /// A message is posted now, and takes `stretch` times as long as others.
  SimTime arrival(SimTime now, Rank from, Rank to, std::uint64_t bytes, double stretch) {
    const SimTime flow = terms_.beta.times(bytes).scaled(stretch);
    const SimTime latency = terms_.alpha.scaled(stretch);
    if (terms_.ports == PortModel::none) return now + latency + flow;
    SimTime& out = out_[static_cast<std::size_t>(from)];
    SimTime& in = terms_.ports == PortModel::half ? out_[static_cast<std::size_t>(to)]
                                                  : in_[static_cast<std::size_t>(to)];
    const SimTime begins = later(now, later(out, in));
    out = in = begins + (terms_.holds_latency ? latency + flow : later(flow, terms_.gap));
    return begins + latency + flow;
  }
  /// What the sender's port has been given has left by then.
  SimTime port_free(Rank from) const { return out_[static_cast<std::size_t>(from)]; }

 private:
  const MessageTerms terms_;
  std::vector<SimTime> out_, in_;  ///< Free from then on, by rank.
};

}  // namespace rankscope
