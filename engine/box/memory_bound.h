// What processes can have of memory since it was last measured, without measuring again.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace rankscope {

/// As /proc/PID/status and stat have it; quick to read, and what is shared after a fork counts in each process.
struct ProcessMemory {
  pid_t pid = 0;
  std::uint64_t started = 0;    ///< With the pid: this process, and no later one.
  std::uint64_t anonymous = 0;  ///< Bytes, with its page tables.
  std::uint64_t shared = 0;     ///< Bytes of mapped shared memory.
  std::uint64_t faults =
      0;  ///< Pages that it was given or that were copied for it, since it began.
  std::uint64_t per_fault = 0;  ///< The most bytes that one of these can be.
};

struct MemoryUse {
  std::uint64_t anonymous = 0;
  std::uint64_t shared = 0;
};

/// Forks of a process that has loaded large libraries share its pages. To count each page once, the kernel walks
/// through all of them, which takes milliseconds a process. So that is done once, and then only the growth of each
/// process is added, until the sum passes the limit or the measurement is too old.
class MemoryBound {
 public:
  using Clock = std::chrono::steady_clock;

  /// `exact`: what all of them together have. `had`: each of them, read before that.
  void measured(const MemoryUse& exact, std::vector<ProcessMemory> had, Clock::time_point now);
  /// At most this much, where `have` are all processes. A process that was not there counts in full: what it has may
  /// be that of one that has ended.
  MemoryUse at_most(const std::vector<ProcessMemory>& have, Clock::time_point now) const;

 private:
  MemoryUse exact_;
  std::vector<ProcessMemory> had_;  // ascending by pid
  Clock::time_point when_{};
  bool known_ = false;
};

}  // namespace rankscope
