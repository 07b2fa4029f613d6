// What the system reports of processes in /proc (proc(5)).
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
  double cpu_seconds = 0;  ///< Also of children that have ended and were waited for.
  unsigned threads = 0;
  std::uint64_t faults = 0;   ///< Minor and major ones: pages that were new or copied for it.
  std::uint64_t started = 0;  ///< In clock ticks since the system's start.
};

/// The system's /proc, or an empty one where there is none.
Fd open_proc();
/// `proc` is a /proc that was opened. Nothing: there is no such process.
std::optional<ProcessStat> process_stat(int proc, pid_t pid);
std::vector<pid_t> processes_in(int proc);
/// Seconds that threads ran or waited for a processor since each began: of all processes that are listed there and still
/// run, of the calling thread. Nothing: the kernel does not say (it is built without CONFIG_SCHED_INFO).
std::optional<double> runnable_s(int proc);
std::optional<double> own_runnable_s();
/// Seconds since the system's start in which some thread waited for memory that was not there, or for a disk; 0: the kernel
/// does not say (Documentation/accounting/psi.rst).
double stalled_s();
/// The first number of a text, behind blanks; 0: there is none.
std::uint64_t number_in(std::string_view text);
/// The beginning of a file below an opened folder; empty when it cannot be read.
std::string beginning_of(int folder, const std::string& path, std::size_t most = 8192);

}  // namespace rankscope
