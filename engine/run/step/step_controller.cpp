// Sends orders to the step gates, carries them out and waits until the ranks stand still again.
#include "engine/run/step/step_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope {
namespace {

// A strand reported as blocked may be waking up. It counts as standing still after this long without a report, or
// longer if it has a message to wake up for.
constexpr auto kQuiet = std::chrono::milliseconds(20), kWaking = std::chrono::milliseconds(500);
// Longer than ranks compute between two messages of a lesson.
constexpr std::chrono::seconds kStandstillTimeout{5};

using State = RankView::State;
using Lock = std::unique_lock<std::mutex>;

}  // namespace

StepController::StepController() : wake_(std::make_unique<WakeFd>()) {}
StepController::~StepController() = default;
int StepController::wake_fd() const noexcept { return wake_->fd(); }

void StepController::start_closed(bool closed) {
  const std::lock_guard lock(mutex_);
  start_closed_ = closed;
}

std::vector<RankView> StepController::ranks() const {
  const std::lock_guard lock(mutex_);
  std::vector<RankView> views;
  for (const auto& [id, view] : views_) {
    views.push_back(view);
    if (view.state == State::held && rounds_known_) views.back().round = round_of(view);
  }
  return views;
}

int StepController::world_size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(permits_.size());
}

std::string StepController::submit(Order order) {
  Lock lock(mutex_);
  // A pause ends a resumed run, whose order then has its answer.
  if (order.kind == Order::Kind::pause && order_ != nullptr && !order_->answer &&
      order_->kind == Order::Kind::resume) {
    order_->answer = "paused";
    if (order_->paused != nullptr) *order_->paused = true;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return order_ == nullptr || ended_; });
  if (ended_) return "the run is over";
  order.since = Clock::now();
  order_ = &order;
  quiet_since_ = Clock::now();
  wake_->wake();
  changed_.wait(lock, [&] { return order.answer.has_value() || ended_; });
  if (order_ == &order) order_ = nullptr;
  changed_.notify_all();
  return order.answer.value_or("the run is over");
}

std::string StepController::release_message(Rank sender, int strand) {
  return submit({.kind = Order::Kind::message, .rank = sender, .strand = strand});
}

std::string StepController::step(Rank rank, int strand) {
  return submit({.kind = Order::Kind::step, .rank = rank, .strand = strand});
}

std::string StepController::round() { return submit({.kind = Order::Kind::round}); }
std::string StepController::resume(bool* paused) {
  return submit({.kind = Order::Kind::resume, .paused = paused});
}
std::string StepController::pause() { return submit({.kind = Order::Kind::pause}); }

std::string StepController::add_breakpoint(Breakpoint breakpoint) {
  Order order{.kind = Order::Kind::breakpoint, .breakpoint = std::move(breakpoint)};
  return submit(std::move(order));
}

std::string StepController::clear_breakpoints() { return submit({.kind = Order::Kind::clear}); }

void StepController::quit() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    quit_ = true;
  }
  wake_->wake();
}

bool StepController::wait_still(Deadline deadline) {
  Lock lock(mutex_);
  const auto stands = [&] { return ended_ || (gates_ != nullptr && still()); };
  while (!stands() && !deadline.passed())
    changed_.wait_until(lock, std::min(deadline.at(), Clock::now() + kQuiet));
  return stands();
}

bool StepController::finished() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void StepController::begin(int world_size, Gates& gates) {
  const std::lock_guard lock(mutex_);
  gates_ = &gates;
  views_.clear();
  for (Rank r = 0; r < world_size; ++r) views_[{r, 0}].rank = r;
  paces_.clear();
  permits_.assign(static_cast<std::size_t>(world_size), 0);
  sent_.clear();
  closed_ = start_closed_;
  rounds_known_ = closed_;
  opened_ = ++orders_number_;
  ended_ = false;
}

// A report based on our last orders and permits replaces all that is known of the rank's strands; after an older one,
// another follows.
void StepController::take(const StepReport& report) {
  quiet_since_ = Clock::now();
  for (const Receipt& receipt : report.received) {
    const auto message = sent_.find(receipt.send);
    if (message == sent_.end()) continue;
    message->second.received = true;
    int& received = paces_[{report.rank, receipt.strand}].received;
    received = std::max(received, message->second.round);
  }
  const State state = find({report.rank, 0})->state;
  if (state == State::done || state == State::lost) return;
  if (report.stamp != GateStamp{orders_number_, permits_[static_cast<std::size_t>(report.rank)]})
    return;
  std::erase_if(views_, [&](const auto& known) { return known.first.rank == report.rank; });
  views_[{report.rank, 0}].rank = report.rank;
  for (const RankView& view : report.views) views_[view.id()] = view;
  if (!closed_ && ranges::any_of(report.views, &RankView::hit)) set_all_gates(true);
}

void StepController::on_report(StepReport report) {
  {
    const std::lock_guard lock(mutex_);
    take(report);
  }
  changed_.notify_all();
}

void StepController::on_end(Rank rank, bool lost) {
  {
    const std::lock_guard lock(mutex_);
    quiet_since_ = Clock::now();
    std::erase_if(views_, [&](const auto& known) {
      return known.first.rank == rank && known.first.strand != 0;
    });
    find({rank, 0})->state = lost ? State::lost : State::done;
  }
  changed_.notify_all();
}

bool StepController::advance() {
  {
    const std::lock_guard lock(mutex_);
    wake_->drain();
    if (quit_) return false;
    if (order_ != nullptr && !order_->answer) carry_on(*order_);
  }
  changed_.notify_all();
  return true;
}

void StepController::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    quit_ = false;
    gates_ = nullptr;
  }
  changed_.notify_all();
}

bool StepController::busy() const {
  const std::lock_guard lock(mutex_);
  return order_ != nullptr;
}

bool StepController::any_held() const {
  const std::lock_guard lock(mutex_);
  return ranges::any_of(views_,
                        [](const auto& known) { return known.second.state == State::held; });
}

GateOrders StepController::orders() const {
  const std::lock_guard lock(mutex_);
  return {closed_, 0, breakpoints_, orders_number_, opened_};
}

RankView* StepController::find(StrandId id) {
  const auto known = views_.find(id);
  return known == views_.end() ? nullptr : &known->second;
}

// Returns whether the receive before which a strand stands, or in which it sleeps, can have that message.
bool StepController::accepts(const RankView& receive, const Message& message) {
  return is_recv(receive.verb) && receive.context == message.context &&
         (receive.peer < 0 || receive.peer == message.from.rank) &&
         (receive.tag == kAnyTag || receive.tag == message.tag);
}

// A rank's messages move only while one of its strands sleeps in a verb.
bool StepController::drives(Rank rank) const {
  return ranges::any_of(views_, [&](const auto& known) {
    const RankView& view = known.second;
    return view.rank == rank && view.state == State::blocked && view.awaits == 0;
  });
}

// Returns whether the strand can take a released message where it stands. With `delivered`, only if no other rank is
// needed: a rendezvous sender hands its data over only while it waits itself.
bool StepController::has_message(const RankView& view, bool delivered) const {
  return ranges::any_of(sent_, [&](const auto& sent) {
    const Message& message = sent.second;
    const bool any = view.one_of && view.context == message.context;
    return !message.received && message.to == view.rank && (any || accepts(view, message)) &&
           !(delivered && message.rendezvous && !drives(message.from.rank));
  });
}

bool StepController::may_be_waking(const RankView& view) const {
  if (!is_send(view.verb) || view.one_of) return has_message(view, true);
  const Message message = message_of(view);
  return ranges::any_of(views_, [&](const auto& known) {
    const RankView& peer = known.second;
    return peer.rank == view.peer && peer.state == State::blocked && accepts(peer, message);
  });
}

bool StepController::still() const {
  auto quiet = std::chrono::milliseconds(0);
  for (const auto& [id, view] : views_) {
    if (view.state == State::running) return false;
    if (view.state == State::blocked && view.awaits == 0)
      quiet = std::max(quiet, may_be_waking(view) ? kWaking : kQuiet);
  }
  return Clock::now() - quiet_since_ >= quiet;
}

bool StepController::all_done() const {
  return ranges::all_of(views_, [](const auto& known) {
    return known.second.state == State::done || known.second.state == State::lost;
  });
}

// Names the strands that do not stand still.
std::string StepController::describe_moving_ranks() const {
  std::string text;
  for (const auto& [id, view] : views_)
    if (view.state == State::running)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(id));
  return fmt::format("not standing still yet: rank {}", text.empty() ? "?" : text);
}

std::string StepController::describe_strand(StrandId id) {
  const RankView* const view = find(id);
  return view != nullptr ? describe(*view)
                         : fmt::format("rank {} has no such strand now", to_string(id));
}

// round(m) = 1 + the largest of: the sender's earlier sends, the receives that it completed before,
// the receiver's earlier receives. Sender and receiver are strands; all ranks start them in the same order, so both
// ends have the same number.
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

// Returns the strand that stands at the receive of this message; else the one that will come to it.
RankView* StepController::receiver_of(const Message& message) {
  for (auto& [id, view] : views_)
    if (id.rank == message.to && (view.state == State::held || view.state == State::blocked) &&
        accepts(view, message))
      return &view;
  return find({message.to, message.from.strand});
}

// After resume, messages released earlier are no longer reported, nor are those that pass an open gate.
void StepController::set_all_gates(bool closed) {
  ++orders_number_;
  if (closed_ && !closed) opened_ = orders_number_;
  closed_ = closed;
  rounds_known_ &= closed;
  if (!closed) sent_.clear();
  for (Rank rank = 0; rank < static_cast<Rank>(permits_.size()); ++rank)
    gates_->set_gate(rank, {closed_, 0, breakpoints_, orders_number_, opened_});
  for (auto& [id, view] : views_) {
    if (closed || view.state == State::done || view.state == State::lost) continue;
    view.state = State::running;
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
  view.state = State::running;
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

// Carries out what can be done at once, wherever the ranks are. Returns true if the order has its answer.
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

// Returns the held strand that is furthest behind.
RankView* StepController::step_to_release(const Order& order) {
  RankView* first = nullptr;
  for (auto& [id, view] : views_) {
    if (view.state != State::held || id.rank != order.rank) continue;
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
      receiver != nullptr && (receiver->state == State::held || receiver->state == State::blocked);
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
    if (view.state != State::held || round_of(view) > order.round) continue;
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
    if (view.state != State::held || (order.rank >= 0 && id.rank != order.rank)) continue;
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
  if (message.received || find({message.to, 0})->state == State::done)
    order.answer = text + " released and received";
  else if (takes && receiver->state == State::held) permit(*receiver);
  else if (takes && receiver->state == State::blocked)
    order.answer = fmt::format("{} released; its receiver waits until the sender goes on: {}", text,
                               describe_strand(message.from));
  else
    order.answer =
        fmt::format("{} released; its receiver is absent: {}", text, describe_strand(to));
}

}  // namespace rankscope
