// What processes can have of memory since it was last measured, without measuring again.
#pragma once

#include <chrono>
#include <vector>

#include "engine/box/process_memory.h"

namespace rankscope {

/// Forks of a process that has loaded large libraries share its pages. To count each page once, the kernel walks
/// through all of them, which takes milliseconds a process. So that is done rarely: in between, only the growth of each
/// process is added, until the sum passes the limit or the measurement is too old. (A new page counts twice, in the
/// process's sum and as a fault, so the next measurement comes early rather than late.)
class MemoryBound {
 public:
  using Clock = std::chrono::steady_clock;

  void record(const MeasuredMemory& measured, Clock::time_point now);
  /// At most this much, where `have` are all processes. A process that was not there counts in full: what it has may
  /// be that of one that has ended.
  MemoryUse at_most(const std::vector<ProcessMemory>& have, Clock::time_point now) const;

 private:
  MemoryUse measured_;
  std::vector<ProcessMemory> had_;  // ascending by pid
  Clock::time_point when_{};
  bool known_ = false;
};

}  // namespace rankscope
