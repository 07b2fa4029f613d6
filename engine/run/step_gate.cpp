#include "engine/run/step_gate.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/core/error.h"

namespace rankscope {

bool Breakpoint::matches(Rank at, const GatePoint& point) const noexcept {
  if (rank >= 0 && rank != at) return false;
  if (!phase.empty() && phase != point.phase_name) return false;
  if (!file.empty() && !std::string_view(point.call.file).ends_with(file)) return false;
  return line == 0 || line == point.call.line;
}

void StepGate::set(GateOrders orders) {
  {
    const std::lock_guard lock(mutex_);
    orders_ = std::move(orders);
    if (!orders_.closed) permitted_.clear();
    set_attention(orders_.attention());
  }
  changed_.notify_all();
}

void StepGate::permit(OpId op) {
  {
    const std::lock_guard lock(mutex_);
    permitted_.insert(op);
    ++all_permits_;
  }
  changed_.notify_all();
}

void StepGate::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void StepGate::begin_job() {
  const std::lock_guard lock(mutex_);
  stopped_ = false;
  permitted_.clear();
  all_permits_ = 0;
}

GateStamp StepGate::stamp() const {
  const std::lock_guard lock(mutex_);
  return {orders_.number, all_permits_};
}

std::chrono::nanoseconds StepGate::hold(const GatePoint& point) {
  std::unique_lock lock(mutex_);
  std::chrono::nanoseconds delay{0};
  if (orders_.delay_us > 0) {
    delay = std::chrono::nanoseconds(static_cast<std::int64_t>(orders_.delay_us * 1e3));
    changed_.wait_for(lock, delay, [&] { return stopped_; });
  }
  const bool hit = !orders_.closed && std::ranges::any_of(orders_.breakpoints, [&](const auto& b) {
    return b.matches(rank_, point);
  });
  if (hit) orders_.closed = true;
  std::optional<GateStamp> announced;
  while (!stopped_ && orders_.closed && !permitted_.contains(point.op)) {
    const GateStamp now{orders_.number, all_permits_};
    if (listener_ == nullptr || announced == now) {
      changed_.wait(lock);
      continue;
    }
    announced = now;
    lock.unlock();
    listener_->on_held(point, hit, now);
    lock.lock();
  }
  if (stopped_)
    throw CommError(CommError::Reason::stopped, rank_, -1, point.call,
                    "the run was stopped while the rank was held at the gate");
  permitted_.erase(point.op);
  return delay;
}

void StepGate::blocked(const Operation& op) noexcept {
  if (listener_ != nullptr) listener_->on_blocked(op);
}

}  // namespace rankscope
