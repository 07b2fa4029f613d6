// Runs an endpoint's link for all waiting threads, one at a time under a lock, and wakes those that
// are done.
#include "engine/core/message/progress.h"

#include <algorithm>

#include <fmt/format.h>

namespace rankscope {
namespace {
constexpr auto kAbandonGrace = std::chrono::milliseconds(500);
void wake_link(void* link) noexcept { static_cast<Link*>(link)->wake(); }
}  // namespace

Progress::Progress(Rank self, Link& link, Endpoint::Observer& observer)
    : self_(self), link_(link), endpoint_(self, link, observer) {}

void Progress::begin_job(std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  epoch_ = epoch;
  stopped_.store(stopped_through_ >= epoch, std::memory_order_release);
  counter_ = 0;
  endpoint_.begin_job(epoch);
}

OperationPtr Progress::new_operation() {
  auto op = std::make_shared<Operation>(&wake_link, &link_);
  const std::lock_guard lock(mutex_);
  op->id = make_op(self_, ++counter_);
  return op;
}

void Progress::post_send(const OperationPtr& op) {
  const std::lock_guard lock(mutex_);
  endpoint_.post_send(op);
}

void Progress::post_recv(const OperationPtr& op) {
  const std::lock_guard lock(mutex_);
  endpoint_.post_recv(op);
}

void Progress::throw_if_failed(const Operation& op) const {
  if (op.error) throw CommError(*op.error);
  if (stopped()) throw CommError(CommError::Reason::stopped, self_, op.peer, {}, stop_reason_);
}

bool Progress::test(const OperationPtr& op) {
  Lock lock(mutex_);
  if (!op->done() && !driving_) drive(lock, Deadline::now());
  throw_if_failed(*op);
  return op->done();
}

// The driving thread hands over and wakes the others, however it ends.
struct Progress::Driving {
  explicit Driving(Progress& progress) : self(progress) { self.driving_ = true; }
  ~Driving() {
    self.driving_ = false;
    if (self.waiters_ > 0) self.changed_.notify_all();
  }
  Progress& self;
};

// A thread that sleeps for one of these operations; made and destroyed under the lock.
struct Progress::Asleep {
  Asleep(Progress& progress, Operations operations) : self(progress), ops(operations) {
    self.asleep_.push_back(ops);
  }
  Asleep(const Asleep&) = delete;
  ~Asleep() {
    const auto same = [this](const Operations& other) { return other.data() == ops.data(); };
    self.asleep_.erase(std::ranges::find_if(self.asleep_, same));
  }
  Progress& self;
  const Operations ops;
};

// The lock is released while the link is polled, so that other threads can post.
void Progress::drive(Lock& lock, Deadline deadline) {
  const Driving driving(*this);
  lock.unlock();
  std::optional<Frame> frame;
  try {
    frame = link_.poll(deadline);
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
  if (frame) endpoint_.on_frame(std::move(*frame));
}

void Progress::sleep(Lock& lock, Deadline deadline) {
  if (!driving_) return drive(lock, deadline);
  ++waiters_;
  if (deadline.is_never()) changed_.wait(lock);
  else changed_.wait_until(lock, deadline.at());
  --waiters_;
}

std::size_t Progress::wait_any(std::span<const OperationPtr> ops, Deadline deadline,
                               const std::function<void()>& on_block) {
  Lock lock(mutex_);
  std::optional<Asleep> asleep;
  while (true) {
    const Operation* first = nullptr;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!ops[i]) continue;
      Operation& op = *ops[i];
      if (op.error) throw CommError(*op.error);
      if (op.done() || (op.complete && op.lent && op.loan.want())) return i;
      if (first == nullptr) first = &op;
    }
    if (first == nullptr) return ops.size();
    throw_if_failed(*first);
    if (deadline.passed())
      throw CommError(CommError::Reason::deadline, self_, first->peer, {},
                      "the deadline passed before the operation was done");
    if (!asleep) {
      if (on_block) on_block();
      asleep.emplace(*this, ops);
    }
    sleep(lock, deadline);
  }
}

std::optional<Endpoint::Probe> Progress::probe(ContextId context, Rank from, Tag tag) {
  Lock lock(mutex_);
  auto found = endpoint_.probe(context, from, tag);
  if (!found && !driving_) {
    drive(lock, Deadline::now());
    found = endpoint_.probe(context, from, tag);
  }
  return found;
}

void Progress::abandon(const OperationPtr& op) noexcept {
  try {
    Lock lock(mutex_);
    if (op->done()) return;
    endpoint_.cancel(op);
    if (!op->lent) return;
    const auto grace = Deadline::in(kAbandonGrace);
    while (!op->loan.want() && !grace.passed()) sleep(lock, grace);
    if (!op->loan.released()) link_.abandon();
  } catch (...) {  // a broken link has nothing queued any more
    link_.abandon();
  }
}

void Progress::stop(std::string reason, std::uint32_t epoch) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const std::uint32_t wanted = epoch == 0 ? epoch_ : epoch;
    if (wanted < epoch_) return;  // a job that has ended
    if (!stopped()) stop_reason_ = std::move(reason);
    stopped_through_ = std::max(stopped_through_, wanted);
    stopped_.store(true, std::memory_order_release);
  }
  link_.wake();
  changed_.notify_all();
}

Progress::Look Progress::look(const std::function<void()>& meanwhile) {
  constexpr std::size_t kMostUnreceived = 16;
  const std::lock_guard lock(mutex_);
  meanwhile();
  // A message that is complete and still lent is on its way: its sender will wake up.
  const auto pending = [](const OperationPtr& op) { return !op || !(op->complete || op->error); };
  Look look;
  look.epoch = epoch_;
  look.asleep = asleep_.size();
  look.stuck = !stopped() && std::ranges::all_of(asleep_, [&](const Operations& ops) {
    return std::ranges::all_of(ops, pending);
  });
  look.traffic = endpoint_.traffic();
  look.unreceived = endpoint_.unreceived(kMostUnreceived);
  return look;
}

std::uint64_t Progress::stale_frames() {
  const std::lock_guard lock(mutex_);
  return endpoint_.stale_frames();
}

std::size_t Progress::unexpected() {
  const std::lock_guard lock(mutex_);
  return endpoint_.unexpected();
}

}  // namespace rankscope
