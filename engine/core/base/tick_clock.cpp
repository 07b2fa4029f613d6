// Reads the clock and the processor's counter together, and measures the counter's rate.
#include "engine/core/base/tick_clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"

namespace rankscope {
namespace {

#if defined(__x86_64__)

constexpr std::int64_t kTrusted = 1'000'000;                                  // ns
constexpr std::int64_t kLearning = 10'000'000, kLearnedWell = 1'000'000'000;  // ns

// Returns whether the system itself uses the counter for its time: it has then found that the counter runs at one rate
// and is the same on all processors.
bool counter_is_clock() noexcept {
  static const bool is_clock = [] {
    const Fd file(::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                         O_RDONLY | O_CLOEXEC));
    std::array<char, 8> name{};
    return file && ::read(file.get(), name.data(), name.size()) == 4 &&
           std::string_view(name.data(), 4) == "tsc\n";
  }();
  return is_clock;
}

/// The clock and the counter at the same moment.
struct Reading {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};

/// Returns false if this thread was repeatedly interrupted between the two readings.
bool read_both(Reading& out) noexcept {
  constexpr std::uint64_t kAtOnce = 1'000;  // ticks
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = __builtin_ia32_rdtsc();
    out.ns = rankscope::now_ns();
    const std::uint64_t took = __builtin_ia32_rdtsc() - before;
    out.ticks = before + took / 2;
    if (took < kAtOnce) return true;
  }
  return false;
}

#endif

}  // namespace

#if defined(__x86_64__)

/// The counter's rate, which is the same for all threads. It gets more accurate with the time since the first reading.
class TickRate {
 public:
  static TickRate& of_process() noexcept {
    static TickRate rate;
    return rate;
  }

  /// Returns nanoseconds per tick, times 2^kScaleBits; 0 if not known yet.
  std::uint64_t scale(const Reading& now) noexcept {
    const std::int64_t passed = now.ns - first_.ns;
    if (first_.ns == 0 || passed < kLearning || well_.load(std::memory_order_relaxed))
      return scale_.load(std::memory_order_relaxed);
    const auto ns = static_cast<long double>(passed) * (std::uint64_t{1} << TickClock::kScaleBits);
    scale_.store(
        static_cast<std::uint64_t>(ns / static_cast<long double>(now.ticks - first_.ticks)),
        std::memory_order_relaxed);
    if (passed > kLearnedWell) well_.store(true, std::memory_order_relaxed);
    return scale_.load(std::memory_order_relaxed);
  }

 private:
  TickRate() noexcept {
    if (!read_both(first_)) first_.ns = 0;
  }

  Reading first_;
  std::atomic<std::uint64_t> scale_{0};
  std::atomic<bool> well_{false};
};

std::int64_t TickClock::reread() noexcept {
  const std::uint64_t trusted = std::exchange(span_, 0);
  Reading now;
  const bool both = counter_is_clock() && read_both(now);
  if (!both) now.ns = rankscope::now_ns();
  // An error of the rate must not move the time back.
  ns_ = std::max(now.ns, trusted > 0 ? ns_ + kTrusted : ns_);
  if (!both) return ns_;
  ticks_ = now.ticks;
  scale_ = TickRate::of_process().scale(now);
  if (scale_ > 0) span_ = (static_cast<std::uint64_t>(kTrusted) << kScaleBits) / scale_;
  return ns_;
}

#else

std::int64_t TickClock::reread() noexcept { return rankscope::now_ns(); }

#endif

std::int64_t event_clock_ns() noexcept {
  thread_local constinit TickClock clock;
  return clock.now_ns();
}

}  // namespace rankscope
