// Programs started for the user, with all their descendants: none of them stays behind.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace rankscope {

struct ChildOptions {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH.
  std::vector<std::string> environment;  ///< "NAME=value", added to ours.
  bool own_group =
      true;        ///< Ctrl-C in the terminal reaches only this process; standard input is empty.
  int input = -1;  ///< A descriptor for its standard input.
};

/// How a child ended.
struct ChildEnd {
  int code = 0;      ///< Exit code; 128 + signal when it was killed.
  std::string what;  ///< "exited with code 3", "was killed by signal 9 (Killed)"
};

/// The processes that this process starts, and their descendants: orphans are adopted and ended with the rest. At most
/// one object per process.
class Children {
 public:
  Children();
  ~Children();  ///< Ends all remaining processes.
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Returns the child's number: 0, 1, ... Throws UserError if it cannot be started.
  std::size_t start(const ChildOptions& options);
  /// Collects the children that have ended. Does not block.
  void poll();
  bool running() const;
  std::size_t size() const noexcept { return children_.size(); }
  pid_t pid(std::size_t child) const { return children_.at(child).pid; }
  bool ended(std::size_t child) const { return children_.at(child).ended; }
  const ChildEnd& end(std::size_t child) const { return children_.at(child).end; }
  /// Sends a signal to all that still run.
  void signal(int number) const noexcept;
  /// Returns the processes that descend from this one, including the children.
  std::vector<pid_t> family() const;

 private:
  struct Child {
    pid_t pid = -1;
    bool own_group = true;
    bool ended = false;
    ChildEnd end;
  };
  std::vector<Child> children_;
};

}  // namespace rankscope
