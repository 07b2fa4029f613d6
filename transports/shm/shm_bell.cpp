// Implements the bell with futex.
#include "transports/shm/shm_bell.h"

#include <cerrno>
#include <ctime>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace rankscope::shm {
namespace {

#if defined(__linux__)
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* until) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, until,
                   nullptr, FUTEX_BITSET_MATCH_ANY);
}
#endif

}  // namespace

void wake(Bell& bell) noexcept {
  if (bell.asleep.exchange(0, std::memory_order_seq_cst) == 0) return;
#if defined(__linux__)
  const int before = errno;  // for a signal handler's sake
  futex(bell.asleep, FUTEX_WAKE_BITSET, 1, nullptr);
  errno = before;
#endif
}

void ring(Bell& bell) noexcept {
  bell.events.fetch_add(1, std::memory_order_seq_cst);
  if (bell.asleep.load(std::memory_order_seq_cst) != 0) wake(bell);
}

// The clock of absolute waits is CLOCK_MONOTONIC, which is that of Deadline.
void block(Bell& bell, Deadline deadline) noexcept {
#if defined(__linux__)
  timespec until{};
  if (!deadline.is_never()) {
    const auto ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.at().time_since_epoch())
            .count();
    constexpr std::int64_t kSecond = 1'000'000'000;
    until = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  }
  while (bell.asleep.load(std::memory_order_acquire) == 1 && !deadline.passed())
    futex(bell.asleep, FUTEX_WAIT_BITSET, 1, deadline.is_never() ? nullptr : &until);
#else
  (void)bell, (void)deadline;
#endif
}

}  // namespace rankscope::shm
