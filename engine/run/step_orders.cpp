// How the conducting thread carries out what the user ordered at the step gate.
#include <algorithm>

#include <fmt/format.h>

#include "engine/run/step_controller.h"

namespace rankscope {
namespace {
using State = RankView::State;
// Longer than ranks compute between two messages of a lesson.
constexpr std::chrono::seconds kPatience{5};
}  // namespace

// The user waits for ranks to stand still; these do not.
std::string StepController::restless() const {
  std::string text;
  for (const RankView& view : views_)
    if (view.state == State::running)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", view.rank);
  return fmt::format("not standing still yet: rank {}", text.empty() ? "?" : text);
}

// round(m) = 1 + the largest of: the sender's earlier sends, the receives that it completed before,
// the receiver's earlier receives.
int StepController::round_of(const RankView& view) const {
  const Pace& own = paces_[static_cast<std::size_t>(view.rank)];
  if (!is_send(view.verb)) return 1 + own.received;
  int before = std::max(own.sent, own.received);
  if (view.peer >= 0)
    before = std::max(before, paces_[static_cast<std::size_t>(view.peer)].received);
  return 1 + before;
}

void StepController::set_all_gates(bool closed) {
  closed_ = closed;
  rounds_known_ &= closed;  // nobody tells of the messages that pass an open gate
  ++orders_number_;
  for (RankView& view : views_) {
    gates_->set_gate(view.rank, {closed_, 0, breakpoints_, orders_number_});
    if (closed || view.state == State::done || view.state == State::lost) continue;
    view.state = State::running;
    view.hit = false;
  }
}

void StepController::permit(RankView& view) {
  Pace& own = pace(view.rank);
  if (is_send(view.verb)) {
    own.sent = round_of(view);
    sent_[view.op] = {own.sent, view.peer, view.tag, view.rendezvous, false};
  }
  ++own.permits;
  view.state = State::running;
  view.hit = false;
  quiet_since_ = Clock::now();
  gates_->permit(view.rank, view.op);
}

void StepController::carry_on(Order& order) {
  if (carry_gates(order)) return;
  if (order.kind == Order::Kind::resume) return carry_resume(order);
  if (!still()) {
    if (Clock::now() - order.since > kPatience) order.answer = restless();
    return;
  }
  if (order.kind == Order::Kind::pause) {
    order.answer = "paused";
    return;
  }
  if (all_done() && order.released == 0 && order.sent == 0) {
    order.answer = "all ranks are done";
    return;
  }
  order.since = Clock::now();
  if (order.kind == Order::Kind::step) carry_step(order);
  else if (order.kind == Order::Kind::round) carry_round(order);
  else carry_message(order);
}

// What is done at once, wherever the ranks are. True when the order has its answer.
bool StepController::carry_gates(Order& order) {
  switch (order.kind) {
    case Order::Kind::breakpoint:
      breakpoints_.push_back(order.breakpoint);
      set_all_gates(closed_);
      order.answer = fmt::format("{} breakpoint(s) set", breakpoints_.size());
      return true;
    case Order::Kind::clear:
      breakpoints_.clear();
      set_all_gates(closed_);
      order.answer = "no breakpoints";
      return true;
    case Order::Kind::pause:
      if (!order.begun) set_all_gates(true);
      order.begun = true;
      return false;
    default: return false;
  }
}

void StepController::carry_resume(Order& order) {
  if (!order.begun) {
    if (!still() && Clock::now() - order.since < kPatience) return;
    order.begun = true;
    if (!all_done()) return set_all_gates(false);
  }
  if (all_done()) order.answer = "all ranks are done";
  else if (closed_ && still()) order.answer = "stopped at a breakpoint";
}

void StepController::carry_step(Order& order) {
  if (order.rank < 0 || order.rank >= static_cast<Rank>(views_.size())) {
    order.answer = fmt::format("there is no rank {} (0 to {})", order.rank, views_.size() - 1);
    return;
  }
  RankView& view = at(order.rank);
  if (order.begun || view.state != State::held) {
    order.answer = describe(view);
    return;
  }
  order.begun = true;
  permit(view);
}

// Nothing is released twice to or from a rank within a round: such messages follow each other.
bool StepController::release_round(Order& order) {
  bool any = false;
  for (RankView& view : views_) {
    if (view.state != State::held || round_of(view) > order.round) continue;
    if (is_send(view.verb)) {
      if (order.receivers.contains(view.peer) || order.senders.contains(view.rank)) continue;
      const RankView& receiver = at(view.peer);
      const bool waits_for_another =
          (receiver.state == State::held || receiver.state == State::blocked) &&
          is_recv(receiver.verb) && receiver.peer >= 0 && receiver.peer != view.rank;
      if (waits_for_another) continue;
      order.senders.insert(view.rank);
      order.receivers.insert(view.peer);
      ++order.released;
    }
    permit(view);
    any = true;
  }
  return any;
}

void StepController::carry_round(Order& order) {
  RankView* first = nullptr;  // the send of the lowest round
  RankView* receive = nullptr;
  for (RankView& view : views_) {
    if (view.state != State::held) continue;
    if (!is_send(view.verb)) receive = &view;
    else if (first == nullptr || round_of(view) < round_of(*first)) first = &view;
  }
  if (order.round == 0 && first != nullptr) order.round = round_of(*first);
  if (order.round > 0 && release_round(order)) return;
  if (order.released > 0) {
    order.answer =
        rounds_known_ ? fmt::format("round {}: {} message(s) released", order.round, order.released)
                      : fmt::format("{} message(s) released", order.released);
  } else if (receive != nullptr) {  // nobody sends before somebody has posted a receive
    permit(*receive);
  } else if (first != nullptr) {  // sent to a rank that waits for another one first
    order.senders.insert(first->rank);
    order.receivers.insert(first->peer);
    ++order.released;
    permit(*first);
  } else {
    order.answer = "no message can be released: no rank is held";
  }
}

// A receive whose message is on its way comes first: it ends what an earlier release began. Then the
// send of the lowest round, then any receive, which may lead to a send.
RankView* StepController::message_to_release(const Order& order) {
  RankView* mailed = nullptr;
  RankView* send = nullptr;
  RankView* receive = nullptr;
  for (RankView& view : views_) {
    if (view.state != State::held || (order.rank >= 0 && view.rank != order.rank)) continue;
    if (is_send(view.verb)) {
      if (send == nullptr || round_of(view) < round_of(*send)) send = &view;
    } else {
      receive = &view;
      if (has_mail(view, false)) mailed = &view;
    }
  }
  if (mailed != nullptr) return mailed;
  return send != nullptr ? send : receive;
}

void StepController::carry_message(Order& order) {
  if (order.sent != 0) return follow_message(order);
  if (order.receiver >= 0) {  // a message of an earlier release has been received now
    order.answer =
        fmt::format("rank {} received it: {}", order.receiver, describe(at(order.receiver)));
    return;
  }
  RankView* const next = message_to_release(order);
  if (next == nullptr) {
    order.answer = "no message can be released: no rank is held before a send";
    return;
  }
  if (is_send(next->verb)) {
    order.sent = next->op;
    order.rank = next->rank;
    order.receiver = next->peer;
  } else if (has_mail(*next, false)) {
    order.receiver = next->rank;
  }
  permit(*next);
}

void StepController::follow_message(Order& order) {
  RankView& receiver = at(order.receiver);
  const bool from_it = receiver.peer == order.rank || receiver.peer < 0;
  const bool takes = receiver.state == State::held && is_recv(receiver.verb) && from_it;
  const std::string message = fmt::format("message {} -> {}", order.rank, order.receiver);
  if (sent_[order.sent].received || receiver.state == State::done)
    order.answer = message + " released and received";
  else if (takes) permit(receiver);
  else if (receiver.state == State::blocked && is_recv(receiver.verb) && from_it)
    order.answer = fmt::format("{} released; its receiver waits until the sender goes on: {}",
                               message, describe(at(order.rank)));
  else
    order.answer =
        fmt::format("{} released; its receiver is absent: {}", message, describe(receiver));
}

}  // namespace rankscope
