// Takes messages from the ports' queues to the network and on to their arrival.
#include "transports/sim/shared_transfers.h"

#include <cmath>

#include "engine/core/base/error.h"

namespace rankscope {

SharedTransfers::SharedTransfers(Network& network, const MessageTerms& terms, int ranks,
                                 Listener& listener)
    : network_(network), terms_(terms), listener_(listener) {
  if (terms_.ports == PortModel::none) return;
  out_.resize(static_cast<std::size_t>(ranks));
  if (terms_.ports == PortModel::full) in_.resize(out_.size());
}

SimTime SharedTransfers::latency(const SimMessage& message) const {
  return SimTime::of(network_.latency(message.from(), message.to())).scaled(message.stretch);
}

void SharedTransfers::post(SimMessage* message, SimTime now) {
  if (terms_.ports == PortModel::none) return start(message, now);
  Queue &leaving = out(message->from()), &entering = in(message->to());
  leaving.push_back(message);
  entering.push_back(message);
  start_if_first(leaving, now);
}

// A message has both ports when it is the first in both queues. All queues have the order of posting, so the earliest
// of all messages that wait is always the first in both of its own.
void SharedTransfers::start_if_first(Queue& queue, SimTime now) {
  if (queue.empty()) return;
  SimMessage* const first = queue.front();
  if (first->begins_flow || out(first->from()).front() != first || in(first->to()).front() != first)
    return;
  start(first, now);
}

void SharedTransfers::start(SimMessage* message, SimTime now) {
  message->begins = now;
  message->begins_flow = true;
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
    flowing_.emplace(network_.begin(seconds(now), message->from(), message->to(), bytes), message);
  } catch (const UserError& e) {
    listener_.lost(message, e.what());
  }
}

// With latency first, the last byte has arrived; else it has left.
void SharedTransfers::flowed(SimMessage* message, SimTime now) {
  const bool arrived = latency_first();
  const SimTime arrives = arrived ? now : now + latency(*message);
  if (terms_.ports != PortModel::none) {
    const SimTime free = arrived ? now : later(now, message->begins + terms_.gap);
    message->release_planned = free > now;
    if (message->release_planned) listener_.plan_release(message, free);
    else release(message, now);
  }
  listener_.plan_arrival(message, arrives);
}

void SharedTransfers::leave(Queue& queue, SimMessage* message) {
  if (!queue.empty() && queue.front() == message) queue.pop_front();
}

void SharedTransfers::release(SimMessage* message, SimTime now) {
  Queue &leaving = out(message->from()), &entering = in(message->to());
  leave(leaving, message);
  leave(entering, message);
  start_if_first(leaving, now);
  start_if_first(entering, now);
}

std::optional<SimTime> SharedTransfers::next_end() {
  const double at = network_.next_end();
  return std::isfinite(at) ? std::optional(SimTime::of(at)) : std::nullopt;
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
