#include "engine/run/step_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "transports/zeromq/wake_fd.h"

namespace rankscope {
namespace {

// A rank that reported to be blocked may just be waking up: it counts as standing still when nothing
// was heard for this long.
constexpr auto kQuiet = std::chrono::milliseconds(20);

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

std::vector<RankView> StepController::ranks() const {
  const std::lock_guard lock(mutex_);
  return views_;
}

std::string StepController::submit(Order order) {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return order_ == nullptr || ended_; });
  if (ended_) return "the run is over";
  order_ = &order;
  quiet_since_ = Clock::now();
  wake_->wake();
  changed_.wait(lock, [&] { return order.answer.has_value() || ended_; });
  if (order_ == &order) order_ = nullptr;
  changed_.notify_all();
  return order.answer.value_or("the run is over");
}

std::string StepController::release_message(Rank sender) {
  return submit({Order::Kind::message, sender, {}, 0, 0, 0, -1, {}});
}
std::string StepController::step(Rank rank) {
  return submit({Order::Kind::step, rank, {}, 0, 0, 0, -1, {}});
}
std::string StepController::round() {
  return submit({Order::Kind::round, -1, {}, 0, 0, 0, -1, {}});
}
std::string StepController::resume() {
  return submit({Order::Kind::resume, -1, {}, 0, 0, 0, -1, {}});
}
std::string StepController::pause() {
  return submit({Order::Kind::pause, -1, {}, 0, 0, 0, -1, {}});
}
std::string StepController::add_breakpoint(Breakpoint breakpoint) {
  return submit({Order::Kind::breakpoint, -1, std::move(breakpoint), 0, 0, 0, -1, {}});
}
std::string StepController::clear_breakpoints() {
  return submit({Order::Kind::clear, -1, {}, 0, 0, 0, -1, {}});
}

void StepController::quit() {
  {
    const std::lock_guard lock(mutex_);
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
  clocks_.assign(static_cast<std::size_t>(world_size), {});
  send_rounds_.clear();
  round_ = 0;
  ended_ = false;
  quit_ = false;
}

void StepController::note_completed(Rank rank, const std::vector<OpId>& completed) {
  auto& clock = clocks_[static_cast<std::size_t>(rank)];
  for (const OpId send : completed) {
    const auto known = send_rounds_.find(send);
    const int round = known == send_rounds_.end() ? 0 : known->second;
    clock.received = std::max(clock.received, round);
    clock.completed = std::max(clock.completed, round);
  }
}

int StepController::round_of(const RankView& view) const {
  const auto& own = clocks_[static_cast<std::size_t>(view.rank)];
  if (!is_send(view.verb)) return 1 + own.received;
  int before = std::max(own.sent, own.completed);
  if (view.peer >= 0)
    before = std::max(before, clocks_[static_cast<std::size_t>(view.peer)].received);
  return 1 + before;
}

void StepController::on_held(RankView view, const std::vector<OpId>& completed) {
  {
    const std::lock_guard lock(mutex_);
    note_completed(view.rank, completed);
    quiet_since_ = Clock::now();
    view.state = State::held;
    view.round = round_of(view);
    if (view.hit && !closed_) set_all_gates(true);
    at(view.rank) = std::move(view);
  }
  changed_.notify_all();
}

void StepController::on_blocked(Rank rank, Verb verb, Rank peer, OpId op,
                                const std::vector<OpId>& completed) {
  {
    const std::lock_guard lock(mutex_);
    note_completed(rank, completed);
    quiet_since_ = Clock::now();
    RankView& view = at(rank);
    view.state = State::blocked;
    view.verb = verb;
    view.peer = peer;
    view.op = op;
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

bool StepController::still() const {
  bool blocked = false;
  for (const RankView& view : views_) {
    if (view.state == State::running) return false;
    blocked |= view.state == State::blocked;
  }
  return !blocked || Clock::now() - quiet_since_ >= kQuiet;
}

bool StepController::all_done() const {
  return std::ranges::all_of(views_, [](const RankView& view) {
    return view.state == State::done || view.state == State::lost;
  });
}

void StepController::set_all_gates(bool closed) {
  closed_ = closed;
  for (RankView& view : views_) {
    gates_->set_gate(view.rank, closed, breakpoints_);
    if (!closed && view.state == State::held) view.state = State::running;
  }
}

void StepController::permit(RankView& view) {
  if (is_send(view.verb)) {
    const int round = round_of(view);
    send_rounds_[view.op] = round;
    clocks_[static_cast<std::size_t>(view.rank)].sent = round;
    round_ = std::max(round_, round);
  }
  view.state = State::running;
  quiet_since_ = Clock::now();
  gates_->permit(view.rank);
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

void StepController::carry_on(Order& order) {
  switch (order.kind) {
    case Order::Kind::breakpoint:
      breakpoints_.push_back(order.breakpoint);
      for (const RankView& view : views_) gates_->set_gate(view.rank, closed_, breakpoints_);
      order.answer = fmt::format("{} breakpoint(s) set", breakpoints_.size());
      return;
    case Order::Kind::clear:
      breakpoints_.clear();
      for (const RankView& view : views_) gates_->set_gate(view.rank, closed_, breakpoints_);
      order.answer = "no breakpoints";
      return;
    case Order::Kind::pause:
      if (order.stage++ == 0) set_all_gates(true);
      if (still()) order.answer = "paused";
      return;
    default: break;
  }
  if (!still()) return;
  if (all_done()) {
    order.answer = "all ranks are done";
    return;
  }
  switch (order.kind) {
    case Order::Kind::resume:
      if (order.stage++ == 0) return set_all_gates(false);
      order.answer = std::ranges::any_of(views_, &RankView::hit) ? "stopped at a breakpoint"
                                                                 : "the ranks stand still";
      return;
    case Order::Kind::step: {
      if (order.rank < 0 || order.rank >= static_cast<Rank>(views_.size())) {
        order.answer = fmt::format("there is no rank {} (0 to {})", order.rank, views_.size() - 1);
        return;
      }
      RankView& view = at(order.rank);
      if (order.stage++ > 0 || view.state != State::held) order.answer = describe(view);
      else permit(view);
      return;
    }
    case Order::Kind::round: return carry_round(order);
    default: return carry_message(order);
  }
}

void StepController::carry_round(Order& order) {
  int lowest = 0;
  for (RankView& view : views_) {
    if (view.state != State::held) continue;
    view.round = round_of(view);
    lowest = lowest == 0 ? view.round : std::min(lowest, view.round);
  }
  if (order.stage == 0) order.stage = std::max(lowest, 1);  // the round to be released
  int released = 0;
  for (RankView& view : views_) {
    if (view.state != State::held || round_of(view) > order.stage) continue;
    if (is_send(view.verb)) ++order.released;
    permit(view);
    ++released;
  }
  if (released == 0)
    order.answer = fmt::format("round {}: {} message(s) released", order.stage, order.released);
}

void StepController::carry_message(Order& order) {
  if (order.stage == 0) {
    RankView* next = nullptr;
    for (RankView& view : views_) {
      if (view.state != State::held || (order.rank >= 0 && view.rank != order.rank)) continue;
      view.round = round_of(view);
      // A receive whose message is on its way comes first: it ends what an earlier release began.
      const bool better =
          next == nullptr || (is_send(view.verb) == is_send(next->verb) ? view.round < next->round
                                                                        : !is_send(view.verb));
      const bool fed =
          is_send(view.verb) || std::ranges::any_of(send_rounds_, [&](const auto& sent) {
            return rank_of(sent.first) == view.peer || view.peer < 0;
          });
      if (better && fed) next = &view;
    }
    if (next == nullptr) {
      order.answer = "no message can be released: no rank is held before a send";
      return;
    }
    order.stage = 1;
    order.sent = is_send(next->verb) ? next->op : 0;
    order.rank = next->rank;
    order.receiver = is_send(next->verb) ? next->peer : -1;
    const std::string what = fmt::format("rank {}: {}", next->rank, verb_phrase(*next));
    permit(*next);
    if (order.receiver < 0) order.answer = what;
    return;
  }
  RankView& receiver = at(order.receiver);
  const auto from_sender = [&] { return receiver.peer == order.rank || receiver.peer < 0; };
  if (order.stage == 1 && receiver.state == State::held && is_recv(receiver.verb) &&
      from_sender()) {
    order.stage = 2;
    permit(receiver);
    return;
  }
  if (order.stage == 2 || receiver.state == State::running)
    order.answer =
        fmt::format("message {} -> {} released and received", order.rank, order.receiver);
  else
    order.answer = fmt::format("message {} -> {} released; its receiver is absent: {}", order.rank,
                               order.receiver, describe(receiver));
}

void StepController::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
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

bool StepController::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::vector<Breakpoint> StepController::breakpoints() const {
  const std::lock_guard lock(mutex_);
  return breakpoints_;
}

}  // namespace rankscope
