// Bounds the memory of processes by their growth since it was measured.
#include "engine/box/memory_bound.h"

#include <algorithm>
#include <utility>

namespace rankscope {
namespace {

// A process may write into another's pages through /proc/PID/mem and end, so that nobody shows the growth. It is seen
// after this time.
constexpr std::chrono::seconds kOldest{2};

std::uint64_t growth(std::uint64_t now, std::uint64_t then) { return now > then ? now - then : 0; }

}  // namespace

void MemoryBound::measured(const MemoryUse& exact, std::vector<ProcessMemory> had,
                           Clock::time_point now) {
  exact_ = exact;
  had_ = std::move(had);
  std::ranges::sort(had_, {}, &ProcessMemory::pid);
  when_ = now;
  known_ = true;
}

MemoryUse MemoryBound::at_most(const std::vector<ProcessMemory>& have,
                               Clock::time_point now) const {
  MemoryUse plain, bound = exact_;
  for (const auto& process : have) {
    plain.anonymous += process.anonymous;
    plain.shared += process.shared;
    const auto then = std::ranges::lower_bound(had_, process.pid, {}, &ProcessMemory::pid);
    if (then == had_.end() || then->pid != process.pid || then->started != process.started) {
      bound.anonymous += process.anonymous;
      bound.shared += process.shared;
      continue;
    }
    // A page that is copied because it was shared does not show in its sum, only as a fault. (A new one shows as both.)
    bound.anonymous += growth(process.anonymous, then->anonymous) +
                       growth(process.faults, then->faults) * process.per_fault;
    bound.shared += growth(process.shared, then->shared);
  }
  if (!known_ || now - when_ > kOldest) return plain;
  return {std::min(plain.anonymous, bound.anonymous), std::min(plain.shared, bound.shared)};
}

}  // namespace rankscope
