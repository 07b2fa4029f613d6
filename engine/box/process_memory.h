// The memory of processes as /proc reports it: quickly, process by process, or slowly, each shared page counted once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/process_stat.h"

namespace rankscope {

/// Quick to read; what is shared after a fork counts in each process.
struct ProcessMemory {
  pid_t pid = 0;
  std::uint64_t started = 0;          ///< With the pid: this process, and no later one.
  std::uint64_t anonymous = 0;        ///< Bytes, with its page tables.
  std::uint64_t shared = 0;           ///< Bytes of mapped shared memory.
  std::uint64_t faults = 0;           ///< Pages that were new or copied for it, since it began.
  std::uint64_t bytes_per_fault = 0;  ///< The most that one of these can be.
};

struct MemoryUse {
  std::uint64_t anonymous = 0;
  std::uint64_t shared = 0;
};

/// `proc` is a /proc that was opened.
ProcessMemory memory_of(int proc, pid_t pid, const ProcessStat& stat);

/// What is shared counts in each.
MemoryUse plain_sum(const std::vector<ProcessMemory>& processes);

struct MeasuredMemory {
  MemoryUse exact;                 ///< Of all together, each shared page counted once.
  std::vector<ProcessMemory> had;  ///< Each of them, read before the first was measured.
  /// At most this much was there; none: another process has been started meanwhile, and what it shared with one that was
  /// measured may be that one's alone soon.
  std::optional<MemoryUse> at_most;
};

/// Takes milliseconds a process. `pids`: all that are in this /proc, or those of a family, whose at_most is not known.
MeasuredMemory measure_exactly(int proc, const std::vector<pid_t>& pids);

}  // namespace rankscope
