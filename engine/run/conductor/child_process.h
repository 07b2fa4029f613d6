// Programs that are started for the user, and all that they start: nothing of it stays behind.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace rankscope {

struct ChildOptions {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH.
  std::vector<std::string> environment;  ///< "NAME=value", added to ours.
  bool own_group = true;  ///< Ctrl-C in the terminal goes to us alone; standard input is empty.
};

/// How a child ended.
struct ChildEnd {
  int code = 0;      ///< Exit code; 128 + signal when it was killed.
  std::string what;  ///< "exited with code 3", "was killed by signal 9 (Killed)"
};

/// What this process starts, and what that starts: orphans come to us and are ended with the rest. One
/// in a process.
class Children {
 public:
  Children();
  ~Children();  ///< Ends all that is left.
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Returns its number: 0, 1, ... Throws UserError when it cannot be started.
  std::size_t start(const ChildOptions& options);
  /// Gathers who has ended. Does not block.
  void poll();
  bool running() const;
  std::size_t size() const noexcept { return children_.size(); }
  pid_t pid(std::size_t child) const { return children_.at(child).pid; }
  bool ended(std::size_t child) const { return children_.at(child).ended; }
  const ChildEnd& end(std::size_t child) const { return children_.at(child).end; }
  /// A signal for all that still run.
  void signal(int number) const noexcept;
  /// Processes that descend from us, the children among them.
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
