// Reads the clock and the processor's counter together, and learns how fast the counter runs.
#include "engine/core/base/tick_clock.h"

#include <array>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"

namespace rankscope {
namespace {

#if defined(__x86_64__)

constexpr std::int64_t kTrusted = 1'000'000;  // ns
constexpr std::int64_t kFirstRate = 200'000, kBetterRate = 10'000'000, kOldRate = 1'000'000'000;

// The system takes its own time from the counter, since it has found that it runs at one rate and is the same on all
// processors.
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

#endif

}  // namespace

#if defined(__x86_64__)

std::int64_t TickClock::read_anew() noexcept {
  if (!counter_is_clock()) return rankscope::now_ns();
  constexpr std::uint64_t kAtOnce = 2'000;  // else this thread was interrupted in between
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = __builtin_ia32_rdtsc();
    std::int64_t ns = rankscope::now_ns();
    const std::uint64_t took = __builtin_ia32_rdtsc() - before;
    if (took > kAtOnce) continue;
    // Never back by what the rate was wrong.
    if (span_ > 0 && ns < ns_ + kTrusted && ns > ns_ + kTrusted - 1'000) ns = ns_ + kTrusted;
    learn_rate(before + took / 2, ns);
    return ns;
  }
  span_ = 0;
  return rankscope::now_ns();
}

void TickClock::learn_rate(std::uint64_t ticks, std::int64_t ns) noexcept {
  const std::int64_t passed = ns - base_ns_;
  const bool old = base_ns_ == 0 || passed > kOldRate || ticks <= base_ticks_;
  if (!old && passed >= (scale_ == 0 ? kFirstRate : kBetterRate))
    scale_ = (static_cast<std::uint64_t>(passed) << kScaleBits) / (ticks - base_ticks_);
  if (old) {
    base_ticks_ = ticks;
    base_ns_ = ns;
  }
  ticks_ = ticks;
  ns_ = ns;
  span_ = scale_ == 0 ? 0 : (static_cast<std::uint64_t>(kTrusted) << kScaleBits) / scale_;
}

#else

std::int64_t TickClock::read_anew() noexcept { return rankscope::now_ns(); }

#endif

}  // namespace rankscope
