// Makes an idle rank count as asleep, and records a rank's activity at the time when its run was ended.
#include "engine/capi/outside_verbs.h"

#include <utility>

#include "engine/core/base/deadline.h"

namespace rankscope::capi {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kWorkLook{20};
/// Shorter stretches without a verb are normal pauses between two verbs.
constexpr std::int64_t kShortestWork = 200'000'000;

}  // namespace

bool OutsideVerbs::set_idle(Port::Idle idle, const Site& where) {
  Gate* const gate = rank_.gate();
  if (gate == nullptr) return false;
  if (idle != Port::Idle::awake) {
    if (strand_ != 0) return false;
    idle_ = idle;
    since_ns_ = rank_.now_ns();
    site_ = rank_.recorder().site(where, 0);
    strand_ = rank_.new_strand();
    gate->strand_begins(strand_);
    GatePoint point;
    point.verb = Verb::wait;
    point.site = site_;
    point.peer = idle == Port::Idle::waiting ? rank_.rank() : kAnyRank;
    gate->awaits_strand(point, strand_);
    point.strand = strand_;
    gate->awaits_strand(point, strand_);
    return false;
  }
  if (strand_ == 0) return false;
  gate->strand_ends(strand_.exchange(0));
  {
    const std::lock_guard lock(mutex_);
    awoken_at_ = rank_.recorder().recorded() + 1;
  }
  if (!rank_.progress().stopped()) return false;
  ends();
  return true;
}

void OutsideVerbs::ends() {
  const std::lock_guard lock(mutex_);
  record_idle();
}

/// The lock must be held.
void OutsideVerbs::record_idle() {
  if (std::exchange(awoken_at_, 0) != rank_.recorder().recorded() + 1) return;
  record(Verb::wait, since_ns_, Site(std::source_location()),
         idle_ == Port::Idle::waiting ? rank_.rank() : kAnyRank);
}

void OutsideVerbs::record(Verb verb, std::int64_t since, const Site& where, Rank peer) {
  StepEvent event;
  event.kind = EventKind::local;
  event.verb = verb;
  event.begin_ns = since;
  event.time_ns = rank_.now_ns();
  event.comm = comm_;
  event.site = verb == Verb::wait ? site_ : rank_.recorder().site(where, 0);
  event.peer = peer;
  rank_.recorder().record(event);
}

// A wait is made in parts, so a rank that sleeps may be seen awake; a rank that computes never sleeps.
void OutsideVerbs::watch_work(const std::function<void(const Port::Told&)>& ask) {
  std::unique_lock lock(mutex_);
  works_since_ns_ = rank_.now_ns();
  events_ = rank_.recorder().recorded();
  while (!left_ && !rank_.progress().stopped()) {
    const bool sleeps = rank_.progress().look([] {}).asleep > 0 || is_idle();
    const std::uint64_t now = rank_.recorder().recorded();
    if (sleeps || now != events_) works_since_ns_ = rank_.now_ns();
    events_ = now;
    changed_.wait_for(lock, kWorkLook, [this] { return left_; });
  }
  if (left_) return;
  if (!has_worked()) return record_idle();
  const std::int64_t since = works_since_ns_;
  lock.unlock();
  ask([&](const Site& where) { record(Verb::compute, since, where, kAnyRank); });
}

/// The lock must be held. The rank has been in no verb for a while.
bool OutsideVerbs::has_worked() const {
  return works_since_ns_ != 0 && !is_idle() && rank_.recorder().recorded() == events_ &&
         rank_.now_ns() - works_since_ns_ >= kShortestWork;
}

void OutsideVerbs::was_at(const Site& where) {
  const std::lock_guard lock(mutex_);
  if (has_worked()) record(Verb::compute, works_since_ns_, where, kAnyRank);
}

void OutsideVerbs::leave() noexcept {
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
  }
  changed_.notify_all();
}

}  // namespace rankscope::capi
