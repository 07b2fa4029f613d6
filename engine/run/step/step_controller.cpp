// Sends orders to the step gates and waits until the ranks stand still again.
#include "engine/run/step/step_controller.h"

#include <algorithm>

#include "engine/core/base/ranges.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope {
namespace {

// A strand that reported to be blocked may just be waking up: it counts as standing still when nothing
// was heard for this long, and for longer when it has a message to wake up for.
constexpr auto kQuiet = std::chrono::milliseconds(20), kWaking = std::chrono::milliseconds(500);

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
  // A resumed run is what one pauses: that order has its answer then.
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

// A report that knows of our last word replaces all that was known of where the rank's strands stand;
// an older one is followed by another.
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

// Can the receive that a strand stands before, or sleeps in, have that message?
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

// A message was released to it that it can take where it stands. `delivered`: it needs nobody else
// any more; a sender in rendezvous mode hands its data over only when it waits itself.
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

}  // namespace rankscope
