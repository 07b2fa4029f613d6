// Programs started for the user, with all their descendants: none of them stays behind.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/program_stem.h"

namespace rankscope {

struct ChildOptions {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH.
  std::vector<std::string> environment;  ///< "NAME=value", added to ours.
  /// Ctrl-C in the terminal reaches only this process; standard input is empty unless a descriptor replaces it.
  bool own_group = true;
  std::vector<SubprocessOptions::Descriptor> descriptors = {};
};

/// How a child ended.
struct ChildEnd {
  int code = 0;      ///< Exit code; 128 + signal when it was killed.
  std::string what;  ///< "exited with code 3", "was killed by signal 9 (Killed)"
};

/// Marks this process's environment, once: all that it starts from then on inherit the mark.
void mark_family();

/// The processes that this process starts, and their descendants: orphans are adopted and ended with the rest. If this process
/// is killed, a guard that it has forked kills the children with their groups and, where there is a /proc, all that carry the
/// mark, in whichever session or group.
/// At most one object per process.
class Children {
 public:
  Children();
  ~Children();  ///< Ends all remaining processes.
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Returns the child's number: 0, 1, ... With a stem, which has to be of the same program, it is forked there if it can be.
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
  /// Returns the processes that descend from this one, including the children, without the guard, a stem and what descends from it.
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
  pid_t stem_ = 0;  ///< The one of the children that were forked; 0: none was.
  Fd alive_;  ///< The guard reads from its other end, and so learns that this process has ended.
  pid_t guard_ = -1;
  pid_t* targets_ =
      nullptr;  ///< For the guard's kill(): children that run; 0 for those that have ended.
};

}  // namespace rankscope
