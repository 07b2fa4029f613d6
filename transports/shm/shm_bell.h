// Sleeping until others have something for this rank, and waking them: a futex beside counts.
#pragma once

#include <cstdint>

#include "engine/core/base/deadline.h"
#include "transports/shm/shm_layout.h"

namespace rankscope::shm {

/// There is something for the rank of this bell; `urgent`: it waits for more, and is to handle this first.
void ring(Bell& bell, bool urgent) noexcept;
/// Wakes it, if it sleeps. Async-safe.
void wake(Bell& bell) noexcept;

/// What has come so far, read before one looks for it.
inline std::uint64_t events_of(const Bell& bell) noexcept {
  return bell.events.load(std::memory_order_acquire);
}
/// Until `wanted` events more than `seen`, an urgent one, wake(), or the deadline. May return early.
/// `stay_awake()` is asked once everybody can see that this rank is about to sleep.
template <class StayAwake>
void sleep(Bell& bell, std::uint64_t seen, std::uint32_t wanted, Deadline deadline,
           StayAwake stay_awake) noexcept;

/// Of sleep().
bool enough(std::uint64_t events, std::uint64_t seen, std::uint32_t wanted) noexcept;
void block(Bell& bell, Deadline deadline) noexcept;

template <class StayAwake>
void sleep(Bell& bell, std::uint64_t seen, std::uint32_t wanted, Deadline deadline,
           StayAwake stay_awake) noexcept {
  bell.wake_at.store(static_cast<std::uint32_t>(seen) + wanted, std::memory_order_relaxed);
  // In one order with ring(): either it finds this rank asleep, or we find its event.
  bell.asleep.store(1, std::memory_order_seq_cst);
  if (!enough(bell.events.load(std::memory_order_seq_cst), seen, wanted) && !stay_awake())
    block(bell, deadline);
  bell.asleep.store(0, std::memory_order_relaxed);
}

}  // namespace rankscope::shm
