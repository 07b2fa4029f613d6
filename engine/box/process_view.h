// Measures what the processes of one box use, from /proc.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/process_stat.h"

namespace rankscope {

/// A process's memory, quick to read; memory shared after a fork counts in each process.
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

/// Returns the sum; shared memory counts in each process.
MemoryUse plain_sum(const std::vector<ProcessMemory>& processes);

struct MeasuredMemory {
  MemoryUse exact;                 ///< All together, each shared page counted once.
  std::vector<ProcessMemory> had;  ///< Each of them, read before the first was measured.
  /// An upper bound. Missing if a process was started meanwhile: pages that it shared with a measured one may soon be its
  /// alone.
  std::optional<MemoryUse> at_most;
};

/// Forks of a process that has loaded large libraries share its pages. To count each page once, the kernel walks
/// through all of them, which takes milliseconds a process. So that is done rarely: in between, only the growth of each
/// process is added, until the sum passes the limit or the measurement is too old. (A new page counts twice, in the
/// process's sum and as a fault, so the next measurement comes early rather than late.)
class MemoryBound {
 public:
  using Clock = std::chrono::steady_clock;

  void record(const MeasuredMemory& measured, Clock::time_point now);
  /// Returns an upper bound for `have`, all processes of the box. A new process counts in full, as it may hold the memory
  /// of one that has ended.
  MemoryUse at_most(const std::vector<ProcessMemory>& have, Clock::time_point now) const;

 private:
  MemoryUse measured_;
  std::vector<ProcessMemory> had_;  // ascending by pid
  Clock::time_point when_{};
  bool known_ = false;
};

/// Measures memory exactly, which takes milliseconds per process. `pids` are all of this /proc, or a family's, whose
/// at_most is unknown.
MeasuredMemory measure_exactly(int proc, const std::vector<pid_t>& pids);

struct ProcessUse {
  std::uint64_t anonymous =
      0;  ///< Bytes of memory; what is shared after a fork counts twice, until it is measured.
  std::uint64_t shared = 0;   ///< Mapped shared memory.
  std::uint64_t sockets = 0;  ///< Bytes that all sockets can hold, including closed ones.
  unsigned processes = 0;     ///< With their threads.
  unsigned stopped = 0;       ///< Processes that a signal has stopped.
  double cpu_seconds = 0;     ///< Also of children that have ended and were waited for.
};

/// The processes that this one has started and that are still its children.
std::vector<pid_t> children_of(pid_t pid);

/// The user of a process, as its status says: since its /proc folder is root's if it has made itself undumpable. Nothing
/// if it has ended.
std::optional<uid_t> user_of(int proc, pid_t pid);

struct FileUse {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  bool full = false;
};

/// The processes and files of one box, read through the box's own /proc, which lists nothing else: no process can hide in
/// it, whatever it becomes a child of.
class ProcessView {
 public:
  /// Opens a box by the first process of its PID namespace. False when it does not stand yet.
  bool open(pid_t first);
  bool is_open() const noexcept { return static_cast<bool>(proc_); }

  /// If there are more than `enough` processes (0 for any number), only counts them: there is no time to read each one of
  /// a fork bomb.
  ProcessUse look(unsigned enough) const;
  /// The memory alone, each shared page counted once; slow. The next look() is bounded by the result.
  ProcessUse exact_memory();
  /// These two work after the box has ended, too.
  FileUse tmp() const { return use_of(tmp_); }
  FileUse shm() const { return use_of(shm_); }
  /// The box's own /proc once more.
  Fd proc() const;

 private:
  static FileUse use_of(const Fd& folder);

  Fd proc_, tmp_, shm_;
  MemoryBound bound_;
};

/// The family of a program without a box: the processes that descend from it. One that leaves the family between two
/// looks is lost, unless it still carries the mark in its environment.
class FamilyView {
 public:
  FamilyView() = default;
  /// All processes of `users` belong to it, too; this process's user must not be among them.
  FamilyView(pid_t first, std::string mark, std::vector<uid_t> users = {});

  /// Finds the family again.
  ProcessUse look();
  ProcessUse exact_memory() const;
  /// Kills all known processes, those with the mark, and those of its users; returns false if there were none.
  bool kill_all();

 private:
  struct Member {
    pid_t pid;
    std::uint64_t started;  // with the pid: this process, and no later one
  };
  void find(bool by_mark);

  std::string mark_;
  std::vector<uid_t> users_;
  std::vector<Member> members_;
};

}  // namespace rankscope
