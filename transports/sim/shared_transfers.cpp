// Takes messages from their ports to the network and on to their arrival.
#include "transports/sim/shared_transfers.h"

#include <cmath>

#include "engine/core/base/error.h"

namespace rankscope {

SimTime SharedTransfers::latency(const SimMessage& message) const {
  return SimTime::rounded(network_.latency(end_of(message.sender), end_of(message.receiver)))
      .scaled(message.stretch);
}

void SharedTransfers::begin(SimMessage* message, SimTime now) {
  message->begins = now;
  try {
    if (latency_first()) listener_.plan_flow(message, now + latency(*message));
    else begin_flow(message, now);
  } catch (const UserError& e) {
    listener_.lost(message, e.what());
  }
}

void SharedTransfers::begin_flow(SimMessage* message, SimTime now) {
  const std::uint64_t bytes = message->bytes();
  if (bytes == 0) return flowed(message, now);
  try {
    flowing_.emplace(
        network_.begin(seconds(now), end_of(message->sender), end_of(message->receiver), bytes),
        message);
  } catch (const UserError& e) {
    listener_.lost(message, e.what());
  }
}

// With latency first, the last byte has arrived; else it has left.
void SharedTransfers::flowed(SimMessage* message, SimTime now) {
  const bool arrived = latency_first();
  const SimTime arrives = arrived ? now : now + latency(*message);
  if (terms_.ports != PortModel::none) {
    message->release_planned = !arrived;
    if (arrived) ports_.release(message, now);
    else listener_.plan_release(message, later(now, message->begins + terms_.gap));
  }
  listener_.plan_arrival(message, arrives);
}

std::optional<SimTime> SharedTransfers::next_end() {
  const double at = network_.next_end();
  return std::isfinite(at) ? std::optional(SimTime::rounded(at)) : std::nullopt;
}

void SharedTransfers::advance(SimTime now) {
  ended_.clear();
  clock_ = std::max(seconds(now), network_.next_end());  // which may have been rounded down
  network_.advance(clock_, ended_);
  for (const auto& [id, at, failed] : ended_) {
    const auto found = flowing_.find(id);
    if (found == flowing_.end()) continue;
    SimMessage* const message = found->second;
    flowing_.erase(found);
    if (failed) listener_.lost(message, "a link of its route failed, and there is no other route");
    else flowed(message, now);
  }
}

}  // namespace rankscope
