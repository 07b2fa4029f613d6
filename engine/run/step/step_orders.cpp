// How the conducting thread carries out what the user ordered at the step gate.
#include <algorithm>

#include <fmt/format.h>

#include "engine/run/step/step_controller.h"

namespace rankscope {
namespace {
using Doing = RankView::State;
// Longer than ranks compute between two messages of a lesson.
constexpr std::chrono::seconds kStandstillTimeout{5};
}  // namespace

// The user waits for ranks to stand still; these do not.
std::string StepController::describe_moving_ranks() const {
  std::string text;
  for (const auto& [id, view] : views_)
    if (view.state == Doing::running)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(id));
  return fmt::format("not standing still yet: rank {}", text.empty() ? "?" : text);
}

std::string StepController::describe_strand(StrandId id) {
  const RankView* const view = find(id);
  return view != nullptr ? describe(*view)
                         : fmt::format("rank {} has no such strand now", to_string(id));
}

// round(m) = 1 + the largest of: the sender's earlier sends, the receives that it completed before,
// the receiver's earlier receives. Sender and receiver are strands; all ranks start them in the same
// order, so the same number is the other end.
int StepController::round_of(const RankView& view) const {
  const auto pace = [this](StrandId id) {
    const auto known = paces_.find(id);
    return known == paces_.end() ? Pace{} : known->second;
  };
  const Pace own = pace(view.id());
  if (!is_send(view.verb)) return 1 + own.received;
  return 1 + std::max({own.sent, own.received, pace({view.peer, view.strand}).received});
}

StepController::Message StepController::message_of(const RankView& send) const {
  return {round_of(send), send.id(), send.peer, send.tag, send.context, send.rendezvous, false};
}

// The strand that stands at the receive of this message; else the one that will come to it.
RankView* StepController::receiver_of(const Message& message) {
  for (auto& [id, view] : views_)
    if (id.rank == message.to && (view.state == Doing::held || view.state == Doing::blocked) &&
        accepts(view, message))
      return &view;
  return find({message.to, message.from.strand});
}

// When a run is let go, what was released before is nobody's business any more: nobody tells of the
// messages that pass an open gate.
void StepController::set_all_gates(bool closed) {
  ++orders_number_;
  if (closed_ && !closed) opened_ = orders_number_;
  closed_ = closed;
  rounds_known_ &= closed;
  if (!closed) sent_.clear();
  for (Rank rank = 0; rank < static_cast<Rank>(permits_.size()); ++rank)
    gates_->set_gate(rank, {closed_, 0, breakpoints_, orders_number_, opened_});
  for (auto& [id, view] : views_) {
    if (closed || view.state == Doing::done || view.state == Doing::lost) continue;
    view.state = Doing::running;
    view.hit = false;
  }
}

void StepController::permit(RankView& view) {
  if (is_send(view.verb)) {
    const Message message = message_of(view);
    paces_[view.id()].sent = message.round;
    sent_[view.op] = message;
  }
  ++permits_[static_cast<std::size_t>(view.rank)];
  view.state = Doing::running;
  view.hit = false;
  quiet_since_ = Clock::now();
  gates_->permit(view.rank, view.op);
}

void StepController::carry_on(Order& order) {
  if (carry_gates(order)) return;
  if (order.kind == Order::Kind::resume) return carry_resume(order);
  if (!still()) {
    if (Clock::now() - order.since > kStandstillTimeout) order.answer = describe_moving_ranks();
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
    if (!still() && Clock::now() - order.since < kStandstillTimeout) return;
    order.begun = true;
    if (!all_done()) return set_all_gates(false);
  }
  if (all_done()) order.answer = "all ranks are done";
  else if (closed_ && still()) order.answer = "stopped at a breakpoint";
}

// Of the strands that are held the one that is behind.
RankView* StepController::step_to_release(const Order& order) {
  RankView* first = nullptr;
  for (auto& [id, view] : views_) {
    if (view.state != Doing::held || id.rank != order.rank) continue;
    if (order.strand != kAnyStrand && id.strand != order.strand) continue;
    if (first == nullptr || round_of(view) < round_of(*first)) first = &view;
  }
  return first;
}

void StepController::carry_step(Order& order) {
  const auto ranks = static_cast<Rank>(permits_.size());
  if (order.rank < 0 || order.rank >= ranks) {
    order.answer = fmt::format("there is no rank {} (0 to {})", order.rank, ranks - 1);
    return;
  }
  RankView* const next = order.begun ? nullptr : step_to_release(order);
  if (next == nullptr) {
    const int strand = order.strand == kAnyStrand ? 0 : order.strand;
    const StrandId id{order.rank, static_cast<std::uint16_t>(strand)};
    order.answer = order.begun && find(id) == nullptr
                       ? fmt::format("rank {:<3} has ended", to_string(id))
                       : describe_strand(id);
    return;
  }
  order.begun = true;
  order.strand = next->strand;
  permit(*next);
}

// Nothing is released twice to or from a strand within a round: such messages follow each other.
bool StepController::joins_round(const RankView& view, Order& order) {
  if (!is_send(view.verb)) return true;
  const Message message = message_of(view);
  const RankView* const receiver = receiver_of(message);
  const StrandId to{view.peer, receiver != nullptr ? receiver->strand : view.strand};
  if (order.receivers.contains(to) || order.senders.contains(view.id())) return false;
  const bool stands =
      receiver != nullptr && (receiver->state == Doing::held || receiver->state == Doing::blocked);
  const bool waits_for_another =
      stands && is_recv(receiver->verb) && receiver->peer >= 0 && receiver->peer != view.rank;
  if (waits_for_another) return false;
  order.senders.insert(view.id());
  order.receivers.insert(to);
  ++order.released;
  return true;
}

bool StepController::release_round(Order& order) {
  bool any = false;
  for (auto& [id, view] : views_) {
    if (view.state != Doing::held || round_of(view) > order.round) continue;
    if (!joins_round(view, order)) continue;
    permit(view);
    any = true;
  }
  return any;
}

void StepController::carry_round(Order& order) {
  RankView* first = nullptr;  // the send of the lowest round
  RankView* receive = nullptr;
  for (auto& [id, view] : views_) {
    if (view.state != Doing::held) continue;
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
    order.senders.insert(first->id());
    order.receivers.insert({first->peer, first->strand});
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
  for (auto& [id, view] : views_) {
    if (view.state != Doing::held || (order.rank >= 0 && id.rank != order.rank)) continue;
    if (order.strand != kAnyStrand && id.strand != order.strand) continue;
    if (is_send(view.verb)) {
      if (send == nullptr || round_of(view) < round_of(*send)) send = &view;
    } else {
      receive = &view;
      if (has_message(view, false)) mailed = &view;
    }
  }
  if (mailed != nullptr) return mailed;
  return send != nullptr ? send : receive;
}

void StepController::carry_message(Order& order) {
  if (order.sent != 0) return follow_message(order);
  if (order.receiver.rank >= 0) {  // a message of an earlier release has been received now
    order.answer = fmt::format("rank {} received it: {}", to_string(order.receiver),
                               describe_strand(order.receiver));
    return;
  }
  RankView* const next = message_to_release(order);
  if (next == nullptr) {
    order.answer = "no message can be released: no rank is held before a send";
    return;
  }
  if (is_send(next->verb)) order.sent = next->op;
  else if (has_message(*next, false)) order.receiver = next->id();
  permit(*next);
}

void StepController::follow_message(Order& order) {
  const auto sent = sent_.find(order.sent);
  if (sent == sent_.end()) {
    order.answer = "the message was released, and then the run was let go";
    return;
  }
  const Message& message = sent->second;
  RankView* const receiver = receiver_of(message);
  const StrandId to{message.to, receiver != nullptr ? receiver->strand : message.from.strand};
  const bool takes = receiver != nullptr && accepts(*receiver, message);
  const auto text = fmt::format("message {} -> {}", to_string(message.from), to_string(to));
  if (message.received || find({message.to, 0})->state == Doing::done)
    order.answer = text + " released and received";
  else if (takes && receiver->state == Doing::held) permit(*receiver);
  else if (takes && receiver->state == Doing::blocked)
    order.answer = fmt::format("{} released; its receiver waits until the sender goes on: {}", text,
                               describe_strand(message.from));
  else
    order.answer =
        fmt::format("{} released; its receiver is absent: {}", text, describe_strand(to));
}

}  // namespace rankscope
