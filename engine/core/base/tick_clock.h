// The monotonic clock by way of the processor's counter: half as long to read, for who reads it at every step.
#pragma once

#include <cstdint>

namespace rankscope {

/// now_ns(), within a fraction of a microsecond, never back: the counter is trusted for a millisecond, then the clock is
/// read again. Where the system itself does not go by the counter, and in a process's first 10 ms, in which it learns how
/// fast the counter runs, every reading is the clock's. Not thread-safe.
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

  std::uint64_t ticks_ = 0;  ///< The counter at ns_.
  std::uint64_t span_ = 0;   ///< For so many ticks; 0: not yet.
  std::uint64_t scale_ = 0;  ///< Nanoseconds of a tick.
  std::int64_t ns_ = 0;      ///< When the clock was read.
};

/// The calling thread's own: what is in one trace has to be by one clock, or what follows would begin before it.
std::int64_t event_clock_ns() noexcept;

}  // namespace rankscope
