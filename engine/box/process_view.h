// What the processes of one box use, as /proc reports it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/box/memory_bound.h"
#include "engine/core/base/fd.h"

namespace rankscope {

struct ProcessUse {
  std::uint64_t anonymous =
      0;  ///< Bytes of memory; what is shared after a fork counts twice, until it is measured.
  std::uint64_t shared = 0;   ///< Mapped shared memory.
  std::uint64_t sockets = 0;  ///< What may lie in all sockets, also after they were closed.
  unsigned processes = 0;     ///< With their threads.
  unsigned stopped = 0;       ///< Processes that a signal has stopped.
  double cpu_seconds = 0;     ///< Also of children that have ended and were waited for.
};

/// The processes that this one has started and that are still its children.
std::vector<pid_t> children_of(pid_t pid);

struct FileUse {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  bool full = false;
};

/// The processes and files of one box. Through the box's own /proc, which lists nothing else, so that no
/// process can hide, whatever it becomes a child of.
class ProcessView {
 public:
  /// Opens a box by the first process of its PID namespace. False when it does not stand yet.
  bool open(pid_t first);
  bool is_open() const noexcept { return static_cast<bool>(proc_); }

  /// With more than `enough` processes (0: any number), these are only counted: while a fork bomb goes off,
  /// there is no time to read all of it.
  ProcessUse look(unsigned enough) const;
  /// The memory alone, each shared page counted once; slow. What look() says next is bounded by it.
  ProcessUse exact_memory();
  /// These two also after the box has ended.
  FileUse tmp() const { return use_of(tmp_); }
  FileUse shm() const { return use_of(shm_); }
  /// The box's own /proc once more.
  Fd proc() const;

 private:
  static FileUse use_of(const Fd& folder);

  Fd proc_, tmp_, shm_;
  MemoryBound bound_;
};

/// A program without a box: what descends from it, on the whole system. What leaves its family between two
/// looks is lost, unless it still carries the mark in its environment.
class FamilyView {
 public:
  FamilyView() = default;
  FamilyView(pid_t first, std::string mark);

  /// Finds the family again.
  ProcessUse look();
  ProcessUse exact_memory() const;
  /// Kills all that is known or carries the mark; false when there was nobody.
  bool kill_all();

 private:
  struct Member {
    pid_t pid;
    std::uint64_t started;  // with the pid: this process, and no later one
  };
  void find(bool by_mark);

  std::string mark_;
  std::vector<Member> members_;
};

}  // namespace rankscope
