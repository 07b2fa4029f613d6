// Reads the terms of a model, tracks which messages wait for which port, and checks the options of a simulation.
#include "transports/sim/message_ports.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "transports/sim/event_queue.h"

namespace rankscope {
namespace {

constexpr double kLongest = 1e6;     // seconds, of a latency
constexpr double kLongestByte = 1;   // seconds
constexpr double kMostJitter = 100;  // times

void check_range(double value, double most, std::string_view what) {
  if (!(value >= 0 && value <= most))
    throw UserError(fmt::format("{} must be 0 to {:g}, not {:g}", what, most, value));
}

}  // namespace

MessageTerms::MessageTerms(const NetworkModel& model)
    : alpha(SimTime::of_decimal(model.alpha)),
      beta(SimTime::of_decimal(model.beta)),
      gamma(SimTime::of_decimal(model.gamma)),
      overhead(SimTime::of_decimal(model.overhead)),
      gap(SimTime::of_decimal(model.gap)),
      byte_overhead(SimTime::of_decimal(model.byte_overhead)),
      ports(model.ports),
      holds_latency(overhead.is_zero() && gap.is_zero() && byte_overhead.is_zero()) {}

void MessagePorts::post(PortedMessage* message, SimTime now) {
  Port& out = at(message->sender);
  message->behind = nullptr;
  message->begun = false;
  if (out.first != nullptr) {
    out.last = out.last->behind = message;
    return;
  }
  out.first = out.last = message;
  become_first(message, now);
}

// Times do not go back, so the message may have to go before others of the same moment only.
void MessagePorts::become_first(PortedMessage* message, SimTime now) {
  if (!message->takes_ports) return without_ports_.push_back(message);
  message->ready = now;
  Port& in = at(message->receiver);
  PortedMessage* place = in.waits_last;
  while (place != nullptr && before(*message, *place)) place = place->earlier;
  message->earlier = place;
  message->later_one = place == nullptr ? in.waits_first : place->later_one;
  (message->later_one == nullptr ? in.waits_last : message->later_one->earlier) = message;
  (place == nullptr ? in.waits_first : place->later_one) = message;
  if (half_) {
    if (!in.taken && !at(message->sender).taken) ask(message->receiver);
  } else if (!in.taken) {
    ask(message->receiver);
  }
}

void MessagePorts::take(PortedMessage* message) {
  Port& in = at(message->receiver);
  (message->earlier == nullptr ? in.waits_first : message->earlier->later_one) = message->later_one;
  (message->later_one == nullptr ? in.waits_last : message->later_one->earlier) = message->earlier;
  message->begun = true;
  in.taken = true;
  if (half_) at(message->sender).taken = true;
}

void MessagePorts::leave(Port& out, SimTime now) {
  out.first = out.first->behind;
  if (out.first != nullptr) become_first(out.first, now);
}

void MessagePorts::release(PortedMessage* message, SimTime now) {
  Port &in = at(message->receiver), &out = at(message->sender);
  in.taken = false;
  if (half_) {
    out.taken = false;
    ask(message->receiver);
    ask(message->sender);
  } else if (in.waits_first != nullptr) {
    ask(message->receiver);
  }
  leave(out, now);
}

void check_sim_options(int ranks, const SimOptions& options) {
  if (ranks < 1 || ranks >= 1 << EventQueue<int>::kRankBits)
    throw UserError(fmt::format("a simulation has 1 to {} ranks, not {}",
                                (1 << EventQueue<int>::kRankBits) - 1, ranks));
  const NetworkModel& model = options.model;
  check_range(model.alpha, kLongest, "the latency (seconds)");
  check_range(model.beta, kLongestByte, "the time for each byte (seconds)");
  check_range(model.gamma, kLongestByte, "the time to reduce a byte (seconds)");
  check_range(model.overhead, kLongest, "the overhead o of a message (seconds)");
  check_range(model.gap, kLongest, "the gap g between messages (seconds)");
  check_range(model.byte_overhead, kLongestByte, "the overhead O of a byte (seconds)");
  check_range(options.jitter, kMostJitter, "the jitter");
  if (options.slowness.size() > static_cast<std::size_t>(ranks))
    throw UserError(fmt::format("slowness is given for {} ranks, but there are {}",
                                options.slowness.size(), ranks));
  for (const double factor : options.slowness)
    if (!(factor >= 1e-6 && factor <= 1e6))
      throw UserError(
          fmt::format("a rank is 0.000001 to 1,000,000 times as slow, not {:g}", factor));
  for (const auto& [rank, at] : options.failures) {
    if (rank < 0 || rank >= ranks)
      throw UserError(fmt::format("rank {} cannot fail: the ranks are 0 to {}", rank, ranks - 1));
    check_range(at, kLongest, "the time of a rank's failure (seconds)");
  }
  if (options.network != nullptr && options.network->ranks() < ranks)
    throw UserError(fmt::format("the topology has {} ranks, and the job {}: choose a larger one",
                                options.network->ranks(), ranks));
}

}  // namespace rankscope
