// Sleeping until others have something for this rank, and waking them: a futex beside counts.
#pragma once

#include <cstdint>

#include "engine/core/base/deadline.h"
#include "transports/shm/shm_layout.h"

namespace rankscope::shm {

/// There is something for the rank of this bell: wakes it, if it sleeps.
void ring(Bell& bell) noexcept;
/// Wakes it, if it sleeps. Async-safe.
void wake(Bell& bell) noexcept;

/// How much has come so far, read before one looks for it.
inline std::uint32_t events_of(const Bell& bell) noexcept {
  return bell.events.load(std::memory_order_acquire);
}
void block(Bell& bell, Deadline deadline) noexcept;

/// Until there is more than `seen`, wake(), or the deadline. May return early. `stay_awake()` is asked once everybody
/// can see that this rank is about to sleep.
template <class StayAwake>
void sleep(Bell& bell, std::uint32_t seen, Deadline deadline, StayAwake stay_awake) noexcept {
  // In one order with ring(): either it finds this rank asleep, or we find its event.
  bell.asleep.store(1, std::memory_order_seq_cst);
  if (bell.events.load(std::memory_order_seq_cst) == seen && !stay_awake()) block(bell, deadline);
  bell.asleep.store(0, std::memory_order_relaxed);
}

}  // namespace rankscope::shm
