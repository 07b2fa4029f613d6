// Runs an endpoint's link for all waiting threads, one at a time under a lock, and wakes those that are done.
#include "engine/core/message/progress.h"

#include <algorithm>

#include "engine/core/base/ranges.h"
#include "engine/core/message/before_sleep.h"
#include "engine/core/message/virtual_rank.h"

namespace rankscope {
namespace {
constexpr auto kAbandonGrace = std::chrono::milliseconds(500);
void wake_link(void* link) noexcept { static_cast<Link*>(link)->wake(); }
}  // namespace

Progress::Progress(Rank self, Link& link, Endpoint::Observer& observer, VirtualRank* virtual_rank)
    : self_(self),
      link_(link),
      virtual_(virtual_rank),
      endpoint_(self, link, observer,
                virtual_rank == nullptr
                    ? Endpoint::Limits{}
                    : Endpoint::Limits{Endpoint::Limits::kNone, /*counts_traffic=*/false}) {}

Progress::Lock Progress::lock() {
  return virtual_ == nullptr ? Lock(mutex_) : Lock(mutex_, std::defer_lock);
}

bool Progress::passed(Deadline deadline) const {
  if (virtual_ == nullptr || deadline.is_never()) return deadline.passed();
  return deadline.passed_by(virtual_->now());
}

void Progress::begin_job(std::uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  epoch_ = epoch;
  stopped_.store(stopped_through_ >= epoch, std::memory_order_release);
  counter_ = 0;
  endpoint_.begin_job(epoch);
}

OperationPtr Progress::new_operation() {
  if (virtual_ != nullptr) {
    auto op = std::allocate_shared<Operation>(PoolAllocator<Operation>(pool_), &wake_link, &link_);
    op->id = make_op(self_, ++counter_);
    return op;
  }
  auto op = std::make_shared<Operation>(&wake_link, &link_);
  const Lock guard = lock();
  op->id = make_op(self_, ++counter_);
  return op;
}

void Progress::post_send(const OperationPtr& op) {
  const Lock guard = lock();
  endpoint_.post_send(op);
  if (virtual_ != nullptr && op->peer == self_) virtual_->wake_done();
}

void Progress::post_recv(const OperationPtr& op) {
  const Lock guard = lock();
  endpoint_.post_recv(op);
}

void Progress::throw_if_failed(const Operation& op) const {
  if (op.error) throw CommError(*op.error);
  if (stopped()) throw CommError(CommError::Reason::stopped, self_, op.peer, {}, stop_reason_);
}

bool Progress::test(const OperationPtr& op) {
  Lock guard = lock();
  if (!op->done() && virtual_ != nullptr) virtual_->poll_found_nothing();
  else if (!op->done() && !driving_) drive(guard, Deadline::now());
  throw_if_failed(*op);
  return op->done();
}

// Makes the driving thread hand over and wake the others, however it ends.
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
    self.asleep_.erase(ranges::find_if(self.asleep_, same));
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
  about_to_sleep();
  if (deadline.is_never()) changed_.wait(lock);
  else changed_.wait_until(lock, deadline.at());
  --waiters_;
}

// Returns the index of the first operation that is done; nothing while all that are left are pending; ops.size() if no
// operation is left.
std::optional<std::size_t> Progress::find_done(Operations ops) const {
  bool pending = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!ops[i]) continue;
    Operation& op = *ops[i];
    if (op.error) throw CommError(*op.error);
    if (op.done() || (op.complete && op.lent && op.loan.want())) return i;
    pending = true;
  }
  return pending ? std::nullopt : std::optional(ops.size());
}

std::size_t Progress::wait_any(Operations ops, Deadline deadline,
                               const std::function<void()>& on_block) {
  Lock guard = lock();
  std::optional<Asleep> asleep;
  bool blocks = false;
  while (true) {
    if (const auto done = find_done(ops)) return *done;
    const Operation& first = **ranges::find_if(ops, [](const auto& op) { return bool(op); });
    throw_if_failed(first);
    if (passed(deadline))
      throw CommError(CommError::Reason::deadline, self_, first.peer, {},
                      "the deadline passed before the operation was done");
    if (!blocks && on_block) on_block();
    blocks = true;
    if (virtual_ != nullptr) {
      about_to_sleep();
      virtual_->sleep(ops, deadline);
      continue;
    }
    if (!asleep) asleep.emplace(*this, ops);
    sleep(guard, deadline);
  }
}

void Progress::deliver(Frame&& frame) { endpoint_.on_frame(std::move(frame)); }

std::optional<Endpoint::Probe> Progress::probe(ContextId context, Rank from, Tag tag) {
  Lock guard = lock();
  auto found = endpoint_.probe(context, from, tag);
  if (found || (virtual_ == nullptr && driving_)) return found;
  if (virtual_ != nullptr) virtual_->poll_found_nothing();
  else drive(guard, Deadline::now());
  found = endpoint_.probe(context, from, tag);
  return found;
}

void Progress::abandon(const OperationPtr& op) noexcept {
  try {
    Lock guard = lock();
    if (op->done()) return;
    endpoint_.cancel(op);
    if (!op->lent) return;
    const auto grace = Deadline::in(kAbandonGrace);
    while (!op->loan.want() && !grace.passed()) sleep(guard, grace);
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
  if (virtual_ != nullptr) virtual_->wake_all();
}

Progress::Look Progress::look(const std::function<void()>& meanwhile) {
  constexpr std::size_t kMostUnreceived = 16;
  const std::lock_guard lock(mutex_);
  meanwhile();
  // A message that is complete and still lent is under way, so its sender will wake up.
  const auto pending = [](const OperationPtr& op) { return !op || !(op->complete || op->error); };
  Look look;
  look.epoch = epoch_;
  look.asleep = asleep_.size();
  look.stuck = !stopped() && ranges::all_of(asleep_, [&](const Operations& ops) {
    return ranges::all_of(ops, pending);
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
