// Programs started for the user, with all their descendants: none of them stays behind.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/family_guard.h"
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

/// The processes that this process starts, and their descendants: orphans are adopted and ended with the rest, also when this
/// process is killed. At most one object per process.
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
  /// Returns the processes that descend from this one, including the children, without a stem and what descends from it.
  std::vector<pid_t> family() const;

 private:
  struct Child {
    pid_t pid = -1;
    bool own_group = true;
    bool ended = false;
    ChildEnd end;
  };
  FamilyGuard guard_;
  std::vector<Child> children_;
  pid_t stem_ = 0;  ///< The one of the children that were forked; 0: none was.
};

}  // namespace rankscope
