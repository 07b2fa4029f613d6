#include "engine/run/step_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "transports/zeromq/wake_fd.h"

namespace rankscope {
namespace {

// A rank that reported to be blocked may just be waking up: it counts as standing still when nothing
// was heard for this long, and for longer when it has a message to wake up for.
constexpr auto kQuiet = std::chrono::milliseconds(20), kWaking = std::chrono::milliseconds(500);

using State = RankView::State;
using Lock = std::unique_lock<std::mutex>;

std::string verb_phrase(const RankView& view) {
  if (is_send(view.verb))
    return fmt::format("{} to rank {} ({} B)", to_string(view.verb), view.peer, view.bytes);
  if (is_recv(view.verb))
    return view.peer < 0 ? fmt::format("{} from any rank", to_string(view.verb))
                         : fmt::format("{} from rank {}", to_string(view.verb), view.peer);
  return std::string(to_string(view.verb));
}

}  // namespace

std::string_view to_string(State state) noexcept {
  switch (state) {
    case State::running: return "running";
    case State::held: return "held";
    case State::blocked: return "blocked";
    case State::done: return "done";
    case State::lost: return "lost";
  }
  return "unknown";
}

std::string describe(const RankView& view) {
  std::string text = fmt::format("rank {:<3} {:<8}", view.rank, to_string(view.state));
  if (view.state != State::held && view.state != State::blocked) return text;
  text += fmt::format(" {} {}", view.state == State::held ? "before" : "in", verb_phrase(view));
  if (view.line != 0) text += fmt::format("  {}:{}", view.file, view.line);
  if (!view.phase.empty()) text += fmt::format("  [{}]", view.phase);
  if (view.hit) text += "  breakpoint";
  return text;
}

StepController::StepController() : wake_(std::make_unique<WakeFd>()) {}
StepController::~StepController() = default;
int StepController::wake_fd() const noexcept { return wake_->fd(); }

void StepController::start_closed(bool closed) {
  const std::lock_guard lock(mutex_);
  start_closed_ = closed;
}

std::vector<RankView> StepController::ranks() const {
  const std::lock_guard lock(mutex_);
  auto views = views_;
  for (auto& view : views)
    if (view.state == State::held && rounds_known_) view.round = round_of(view);
  return views;
}

std::string StepController::submit(Order order) {
  Lock lock(mutex_);
  // A resumed run is what one pauses: that order has its answer then.
  if (order.kind == Order::Kind::pause && order_ != nullptr && !order_->answer &&
      order_->kind == Order::Kind::resume) {
    order_->answer = "paused";
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

std::string StepController::release_message(Rank sender) {
  Order order{.kind = Order::Kind::message, .rank = sender};
  return submit(std::move(order));
}

std::string StepController::step(Rank rank) {
  Order order{.kind = Order::Kind::step, .rank = rank};
  return submit(std::move(order));
}

std::string StepController::round() { return submit({.kind = Order::Kind::round}); }
std::string StepController::resume() { return submit({.kind = Order::Kind::resume}); }
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
  views_.assign(static_cast<std::size_t>(world_size), {});
  for (Rank r = 0; r < world_size; ++r) at(r).rank = r;
  paces_.assign(static_cast<std::size_t>(world_size), {});
  sent_.clear();
  closed_ = start_closed_;
  rounds_known_ = closed_;
  ++orders_number_;
  ended_ = false;
}

// False when the rank had not heard of our last word yet, or moved on since: it tells again.
bool StepController::take(Rank rank, const Report& report) {
  quiet_since_ = Clock::now();
  Pace& known = pace(rank);
  for (const OpId send : report.completed) {
    const auto message = sent_.find(send);
    if (message == sent_.end()) continue;
    message->second.received = true;
    known.received = std::max(known.received, message->second.round);
  }
  const State state = at(rank).state;
  if (state == State::done || state == State::lost || report.verbs < known.verbs) return false;
  known.verbs = report.verbs;
  return report.stamp == GateStamp{orders_number_, known.permits};
}

void StepController::on_held(RankView view, const Report& report) {
  {
    const std::lock_guard lock(mutex_);
    const bool current = take(view.rank, report);
    view.state = State::held;
    // Told again while the run was being resumed, a hit is an old one.
    const bool stop = view.hit && !closed_ && report.stamp.orders == orders_number_;
    if (current) at(view.rank) = std::move(view);
    if (stop) set_all_gates(true);
  }
  changed_.notify_all();
}

void StepController::on_blocked(const RankView& view, const Report& report) {
  {
    const std::lock_guard lock(mutex_);
    if (take(view.rank, report)) {
      RankView& known = at(view.rank);  // keeps the place where it was last held
      known.state = State::blocked;
      known.verb = view.verb;
      known.peer = view.peer;
      known.tag = view.tag;
      known.op = view.op;
    }
  }
  changed_.notify_all();
}

void StepController::on_end(Rank rank, bool lost) {
  {
    const std::lock_guard lock(mutex_);
    quiet_since_ = Clock::now();
    at(rank).state = lost ? State::lost : State::done;
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
  return std::ranges::any_of(views_,
                             [](const RankView& view) { return view.state == State::held; });
}

GateOrders StepController::orders() const {
  const std::lock_guard lock(mutex_);
  return {closed_, 0, breakpoints_, orders_number_};
}

// A message was released to it that it can take where it stands. `delivered`: it needs nobody else
// any more; a sender in rendezvous mode hands its data over only when it waits itself.
bool StepController::has_mail(const RankView& view, bool delivered) const {
  return std::ranges::any_of(sent_, [&](const auto& sent) {
    const Message& message = sent.second;
    const Rank from = rank_of(sent.first);
    return !message.received && message.to == view.rank && (view.peer < 0 || from == view.peer) &&
           (view.tag == kAnyTag || view.tag == message.tag) &&
           !(delivered && message.rendezvous && at(from).state != State::blocked);
  });
}

bool StepController::about_to_wake(const RankView& view) const {
  if (is_recv(view.verb)) return has_mail(view, true);
  if (view.peer < 0) return false;
  const RankView& peer = at(view.peer);
  return peer.state == State::blocked && is_recv(peer.verb) &&
         (peer.peer < 0 || peer.peer == view.rank);
}

bool StepController::still() const {
  auto quiet = std::chrono::milliseconds(0);
  for (const RankView& view : views_) {
    if (view.state == State::running) return false;
    if (view.state == State::blocked)
      quiet = std::max(quiet, about_to_wake(view) ? kWaking : kQuiet);
  }
  return Clock::now() - quiet_since_ >= quiet;
}

bool StepController::all_done() const {
  return std::ranges::all_of(views_, [](const RankView& view) {
    return view.state == State::done || view.state == State::lost;
  });
}

}  // namespace rankscope
