// Bounds the memory of processes by their growth since it was measured.
#include "engine/box/memory_bound.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// A process may write into another's pages (/proc/PID/mem, or memory shared by clone) and end: its faults go with it, and
// no process shows the growth. The next measurement does.
constexpr std::chrono::seconds kOldest{2};

std::uint64_t growth(std::uint64_t now, std::uint64_t then) { return now > then ? now - then : 0; }

}  // namespace

void MemoryBound::record(const MeasuredMemory& measured, Clock::time_point now) {
  if (!measured.at_most) return;
  measured_ = *measured.at_most;
  had_ = measured.had;
  ranges::sort(had_, {}, &ProcessMemory::pid);
  when_ = now;
  known_ = true;
}

MemoryUse MemoryBound::at_most(const std::vector<ProcessMemory>& have,
                               Clock::time_point now) const {
  const MemoryUse plain = plain_sum(have);
  if (!known_ || now - when_ > kOldest) return plain;
  MemoryUse bound = measured_;
  for (const auto& process : have) {
    const auto then = ranges::lower_bound(had_, process.pid, {}, &ProcessMemory::pid);
    if (then == had_.end() || then->pid != process.pid || then->started != process.started) {
      bound.anonymous += process.anonymous;
      bound.shared += process.shared;
      continue;
    }
    // A page that is copied because it was shared does not show in its sum, only as a fault.
    bound.anonymous += growth(process.anonymous, then->anonymous) +
                       growth(process.faults, then->faults) *
                           std::max(then->bytes_per_fault, process.bytes_per_fault);
    bound.shared += growth(process.shared, then->shared);
  }
  return {std::min(plain.anonymous, bound.anonymous), std::min(plain.shared, bound.shared)};
}

}  // namespace rankscope
