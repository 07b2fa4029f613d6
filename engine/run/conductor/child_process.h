// Programs started for the user, with all their descendants: none of them stays behind.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope {

struct ChildOptions {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH.
  std::vector<std::string> environment;  ///< "NAME=value", added to ours.
  /// Ctrl-C in the terminal reaches only this process; standard input is empty unless a descriptor replaces it.
  bool own_group = true;
  std::vector<SubprocessOptions::Descriptor> descriptors = {};
};

struct ChildEnd {
  int code = 0;      ///< Exit code; 128 + signal when it was killed.
  std::string what;  ///< "exited with code 3", "was killed by signal 9 (Killed)"
};

/// Marks this process's environment once; all processes that it starts later inherit the mark.
void mark_family();

/// The processes that this process starts, and their descendants; orphans are adopted and ended with the rest. If this
/// process is killed, a forked guard kills the children with their groups and, on Linux, all processes with the mark.
/// At most one object per process.
class Children {
 public:
  Children();
  ~Children();  ///< Ends all remaining processes.
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Starts a child, forked from `stem` (of the same program) if possible. Returns its number: 0, 1, ...
  /// Throws UserError if it cannot be started.
  std::size_t start(const ChildOptions& options, ProgramStem* stem = nullptr);
  /// Collects the children that have ended. Does not block.
  void poll();
  bool running() const;
  std::size_t size() const noexcept { return children_.size(); }
  pid_t pid(std::size_t child) const { return children_.at(child).pid; }
  bool ended(std::size_t child) const { return children_.at(child).ended; }
  const ChildEnd& end(std::size_t child) const { return children_.at(child).end; }
  /// Sends a signal to all that still run.
  void signal(int number) const noexcept;
  /// Returns this process's descendants, without the guard, the stem and the stem's descendants.
  std::vector<pid_t> family() const;

 private:
  struct Child {
    pid_t pid = -1;
    bool own_group = true;
    bool ended = false;
    ChildEnd end;
  };
  void set_target(std::size_t child, pid_t target) noexcept;

  std::vector<Child> children_;
  pid_t stem_ = 0;  ///< The stem passed to start(); 0 for none.
  Fd alive_;  ///< The guard reads from its other end, and so learns that this process has ended.
  pid_t guard_ = -1;
  pid_t* targets_ =
      nullptr;  ///< Shared with the guard: kill()'s argument for each child; 0 once it has ended.
};

}  // namespace rankscope
