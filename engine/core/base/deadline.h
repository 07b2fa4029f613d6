// A point in time after which a wait gives up.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rankscope {

using Clock = std::chrono::steady_clock;

/// Nanoseconds of the monotonic clock: the time base of every event of a host.
inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

class Deadline {
 public:
  using Duration = Clock::duration;

  static Deadline never() noexcept { return Deadline(Clock::time_point::max()); }
  static Deadline now() noexcept { return Deadline(Clock::time_point::min()); }
  static Deadline at(Clock::time_point at) noexcept { return Deadline(at); }
  static Deadline in(Duration span) noexcept {
    return span == Duration::max() ? never() : Deadline(Clock::now() + span);
  }

  bool is_never() const noexcept { return at_ == Clock::time_point::max(); }
  bool is_now() const noexcept { return at_ == Clock::time_point::min(); }
  bool passed() const noexcept { return is_now() || (!is_never() && Clock::now() >= at_); }
  /// The same on another clock (virtual time).
  bool passed_by(Clock::time_point now) const noexcept {
    return is_now() || (!is_never() && now >= at_);
  }

  /// Milliseconds to wait, rounded up, in the form that poll() takes: -1 for ever, 0 once it has passed.
  int poll_ms() const noexcept {
    if (is_never()) return -1;
    if (is_now()) return 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
  }
  Clock::time_point at() const noexcept { return at_; }
  friend Deadline earlier(Deadline a, Deadline b) noexcept { return a.at_ < b.at_ ? a : b; }

 private:
  explicit Deadline(Clock::time_point at) noexcept : at_(at) {}
  Clock::time_point at_;
};

}  // namespace rankscope
