// The assignment of ports to messages over time: one rule for all simulations.
#pragma once

#include <algorithm>
#include <vector>

#include "transports/sim/sim_options.h"
#include "transports/sim/sim_time.h"

namespace rankscope {

/// The terms of a NetworkModel as times.
struct MessageTerms {
  explicit MessageTerms(const NetworkModel& model);
  SimTime alpha, beta, gamma, overhead, gap, byte_overhead;
  PortModel ports;
  /// In the alpha-beta model a message holds its ports until it has arrived; otherwise (LogGOPS) the latency comes
  /// after.
  bool holds_latency;

  /// The times of a message that has its ports now and takes `stretch` times as long as normal.
  struct Times {
    SimTime held, arrives;  ///< Since its start.
  };
  Times times(std::uint64_t bytes, double stretch) const noexcept {
    const SimTime flow = beta.times(bytes).scaled(stretch);
    const SimTime arrives = alpha.scaled(stretch) + flow;
    return {holds_latency ? arrives : later(flow, gap), arrives};
  }
};

/// A message from its posting until it has left the ports.
struct PortedMessage {
  Rank sender = 0, receiver = 0;
  bool begun = false;
  bool takes_ports =
      true;       ///< If false, it only waits for messages that its rank posted before it.
  SimTime ready;  ///< When it became the first at its sender's port.
  PortedMessage* behind = nullptr;  ///< Its sender's next message.
  PortedMessage *earlier = nullptr,
                *later_one = nullptr;  ///< Its neighbours in the queue for its receiver's port.
};

/// The rule of engine/model/costs/message_times.h. All events of a moment are handled before ports are given in it: the
/// caller ends a moment with give(). A message is ready once it is its sender's first one. When the ports that it needs
/// are free, the first choice is a message for which a strand of its receiver sleeps, then the one ready for longest,
/// then the one from the lowest rank.
class MessagePorts {
 public:
  MessagePorts(int ranks, PortModel ports)
      : half_(ports == PortModel::half),
        ports_(ports == PortModel::none ? 0 : static_cast<std::size_t>(ranks)) {}

  void post(PortedMessage* message, SimTime now);
  /// Frees the ports of a message that has begun.
  void release(PortedMessage* message, SimTime now);
  /// Returns whether ports may still be given at this moment.
  bool has_requests() const noexcept { return !asked_.empty() || !without_ports_.empty(); }
  /// Gives ports at the end of a moment. `Owner` has `void begin(PortedMessage*)`, which must not call this object,
  /// and `PortedMessage* awaited_by(Rank)`: of the messages that wait for that rank's port, the first by before() for
  /// which a strand of it sleeps, or null.
  template <class Owner>
  void give(SimTime now, Owner& owner);

  /// Returns the first message of `sender` if it waits for the port of `receiver`; otherwise null.
  PortedMessage* waiting(Rank sender, Rank receiver) const noexcept {
    PortedMessage* const first = at(sender).first;
    return first != nullptr && first->receiver == receiver && !first->begun ? first : nullptr;
  }
  /// Returns the first message that waits for this port; the others follow by `later_one`, ordered by before().
  PortedMessage* first_waiting(Rank receiver) const noexcept { return at(receiver).waits_first; }
  static bool before(const PortedMessage& a, const PortedMessage& b) noexcept {
    return a.ready < b.ready || (a.ready == b.ready && a.sender < b.sender);
  }

 private:
  struct Port {
    PortedMessage *first = nullptr, *last = nullptr;              ///< This sender's messages.
    PortedMessage *waits_first = nullptr, *waits_last = nullptr;  ///< For this receiver.
    bool taken = false;  ///< The input port; with half duplex, input or output.
    bool asked = false;  ///< In asked_.
  };
  struct Choice {
    bool awaited;
    PortedMessage* message;
    bool operator<(const Choice& other) const noexcept {
      if (awaited != other.awaited) return awaited;
      return before(*message, *other.message);
    }
  };

  Port& at(Rank rank) { return ports_[static_cast<std::size_t>(rank)]; }
  const Port& at(Rank rank) const { return ports_[static_cast<std::size_t>(rank)]; }
  void ask(Rank rank) {
    if (at(rank).asked) return;
    at(rank).asked = true;
    asked_.push_back(rank);
  }
  void leave(Port& out, SimTime now);
  void become_first(PortedMessage* message, SimTime now);
  void take(PortedMessage* message);
  template <class Owner>
  void give_one(Port& port, Rank rank, Owner& owner);
  template <class Owner>
  void give_half(Owner& owner);
  template <class Owner>
  PortedMessage* best_of(Rank rank, Owner& owner, bool& awaited);

  const bool half_;
  std::vector<Port> ports_;
  std::vector<Rank> asked_;  ///< Ports that may be free to give.
  std::vector<PortedMessage*> without_ports_;
  std::vector<Choice> choices_;
};

template <class Owner>
void MessagePorts::give(SimTime now, Owner& owner) {
  while (!without_ports_.empty()) {
    PortedMessage* const message = without_ports_.back();
    without_ports_.pop_back();
    leave(at(message->sender), now);
    owner.begin(message);
  }
  if (half_) return give_half(owner);
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Port& port = at(asked_[i]);
    port.asked = false;
    if (!port.taken && port.waits_first != nullptr) give_one(port, asked_[i], owner);
  }
  asked_.clear();
}

template <class Owner>
void MessagePorts::give_one(Port& port, Rank rank, Owner& owner) {
  PortedMessage* message = port.waits_first;
  if (message != port.waits_last)
    if (PortedMessage* const awaited = owner.awaited_by(rank)) message = awaited;
  take(message);
  owner.begin(message);
}

// Returns the best message that can begin among those that this rank sends or receives; null if none can.
template <class Owner>
PortedMessage* MessagePorts::best_of(Rank rank, Owner& owner, bool& awaited) {
  Choice best{false, nullptr};
  const auto consider = [&](PortedMessage* message, bool is_awaited) {
    if (at(message->sender).taken || at(message->receiver).taken) return false;
    const Choice choice{is_awaited, message};
    if (best.message == nullptr || choice < best) best = choice;
    return true;
  };
  const auto consider_awaited = [&](Rank receiver, Rank sender) {
    PortedMessage* const message = owner.awaited_by(receiver);
    if (message != nullptr && (sender < 0 || message->sender == sender)) consider(message, true);
  };
  if (PortedMessage* const own = at(rank).first;
      own != nullptr && own->takes_ports && !own->begun) {
    consider(own, false);
    consider_awaited(own->receiver, rank);
  }
  consider_awaited(rank, -1);
  if (!best.awaited)
    for (PortedMessage* m = at(rank).waits_first; m != nullptr; m = m->later_one)
      if (consider(m, false)) break;  // later ones are ready later
  awaited = best.awaited;
  return best.message;
}

// Picks the best of all repeatedly, because each choice may take a port from others.
template <class Owner>
void MessagePorts::give_half(Owner& owner) {
  const auto later_choice = [](const Choice& a, const Choice& b) { return b < a; };
  const auto add_best = [&](Rank rank) {
    Choice choice{};
    if (at(rank).taken || (choice.message = best_of(rank, owner, choice.awaited)) == nullptr)
      return;
    choices_.push_back(choice);
    std::push_heap(choices_.begin(), choices_.end(), later_choice);
  };
  for (const Rank rank : asked_) at(rank).asked = false, add_best(rank);
  asked_.clear();
  while (!choices_.empty()) {
    std::pop_heap(choices_.begin(), choices_.end(), later_choice);
    PortedMessage* const message = choices_.back().message;
    choices_.pop_back();
    if (message->begun) continue;
    if (at(message->sender).taken || at(message->receiver).taken) {
      add_best(message->sender);
      add_best(message->receiver);
      continue;
    }
    take(message);
    owner.begin(message);
  }
}

}  // namespace rankscope
