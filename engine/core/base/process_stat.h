// Reads process statistics from /proc (proc(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"

namespace rankscope {

struct ProcessStat {
  char state = '?';  ///< R, S, D, Z, T (stopped), t (traced) ...
  pid_t parent = 0;
  double cpu_seconds = 0;  ///< Includes children that have ended and were waited for.
  unsigned threads = 0;
  std::uint64_t faults =
      0;  ///< Minor and major page faults: pages that were new or copied for the process.
  std::uint64_t started = 0;  ///< In clock ticks since the system started.
};

/// Opens the system's /proc; returns an empty descriptor if there is none.
Fd open_proc();
/// `proc` is an open /proc. Returns nothing if the process does not exist.
std::optional<ProcessStat> process_stat(int proc, pid_t pid);
std::vector<pid_t> processes_in(int proc);
/// Returns for how many seconds threads have run or waited for a processor since they began: the sum over all threads
/// in `proc`, or the calling thread's. Nothing if the kernel does not report it (built without CONFIG_SCHED_INFO).
std::optional<double> runnable_s(int proc);
std::optional<double> own_runnable_s();
/// Returns for how many seconds since the system started some thread waited for missing memory, plus the same for a
/// disk; 0 if the kernel does not report it (Documentation/accounting/psi.rst).
double stalled_s();
/// Parses a text's first number, after blanks; returns 0 if there is none.
std::uint64_t number_in(std::string_view text);
/// Reads the beginning of a file below an open folder; returns an empty text if it cannot be read.
std::string beginning_of(int folder, const std::string& path, std::size_t most = 8192);

}  // namespace rankscope
