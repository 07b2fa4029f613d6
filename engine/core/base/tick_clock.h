// The monotonic clock, read from the processor's counter in half the time, for code that reads it at every step.
#pragma once

#include <cstdint>

namespace rankscope {

/// now_ns(), accurate to a fraction of a microsecond and never backwards: the counter is trusted for a millisecond,
/// then the clock is read again. If the system itself does not use the counter, and in a process's first 10 ms, while
/// the counter's speed is measured, every reading is the clock's. Not thread-safe.
class TickClock {
 public:
  std::int64_t now_ns() noexcept {
#if defined(__x86_64__)
    const std::uint64_t passed = __builtin_ia32_rdtsc() - ticks_;
    if (passed < span_) return ns_ + static_cast<std::int64_t>((passed * scale_) >> kScaleBits);
#endif
    return reread();
  }

 private:
  friend class TickRate;
  static constexpr int kScaleBits = 32;
  std::int64_t reread() noexcept;

  std::uint64_t ticks_ = 0;  ///< The counter's value at ns_.
  std::uint64_t span_ = 0;   ///< For how many ticks the counter is trusted; 0 if it is not.
  std::uint64_t scale_ = 0;  ///< Nanoseconds per tick, times 2^kScaleBits.
  std::int64_t ns_ = 0;      ///< When the clock was read.
};

/// Returns now_ns() of the calling thread's TickClock. All times of one trace must come from this function, because
/// otherwise an effect could precede its cause.
std::int64_t event_clock_ns() noexcept;

}  // namespace rankscope
