// The monotonic clock by way of the processor's counter: half as long to read, for who reads it at every step.
#pragma once

#include <cstdint>

namespace rankscope {

/// now_ns(), within a fraction of a microsecond: the counter is trusted for a millisecond, then the clock is read anew.
/// Where the system itself does not go by the counter, every reading is the clock's. Not thread-safe.
class TickClock {
 public:
  std::int64_t now_ns() noexcept {
#if defined(__x86_64__)
    const std::uint64_t passed = __builtin_ia32_rdtsc() - ticks_;
    if (passed < span_) return ns_ + static_cast<std::int64_t>((passed * scale_) >> kScaleBits);
#endif
    return read_anew();
  }

 private:
  static constexpr int kScaleBits = 32;
  std::int64_t read_anew() noexcept;
  void learn_rate(std::uint64_t ticks, std::int64_t ns) noexcept;

  std::uint64_t ticks_ = 0;       ///< The counter at ns_.
  std::uint64_t span_ = 0;        ///< For so many ticks; 0: not yet.
  std::uint64_t scale_ = 0;       ///< Nanoseconds of a tick.
  std::int64_t ns_ = 0;           ///< When the clock was read.
  std::uint64_t base_ticks_ = 0;  ///< An earlier reading, for the rate.
  std::int64_t base_ns_ = 0;
};

}  // namespace rankscope
