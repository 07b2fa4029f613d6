// Another program, started without a shell: what it gets from this process, its end, and its kill.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/deadline.h"

namespace rankscope {

struct SubprocessOptions {
  /// A descriptor of the program: one of ours, or a file that is opened.
  struct Descriptor {
    int theirs = -1;
    int ours = -1;
    std::string file = {};
    int flags = 0;
  };
  std::vector<std::string> words;  ///< The program, looked up in PATH, and its arguments.
  std::vector<std::string> environment =
      {};                   ///< "NAME=value" on top of ours; "NAME" alone removes it.
  std::string folder = {};  ///< Its working folder; empty: ours.
  std::vector<Descriptor> descriptors = {};  ///< Set in this order.
  /// Ctrl-C in the terminal goes to this process alone, which ends the other one in order; standard input is
  /// empty unless a descriptor says otherwise.
  bool own_group = true;
  int close_from = -1;  ///< Closes all descriptors from this one on (>= 0), where the system can.
};

/// Starts it, with signals as a fresh process has them. Returns 0, or an errno. The caller waits for it.
int start_process(const SubprocessOptions& options, pid_t& pid);

/// Exit code of a wait status; 128 + signal when it was killed.
int wait_exit_code(int wait_status) noexcept;

/// A program that belongs to an object: when the object goes, it is killed with its group, even if the program itself
/// has ended.
class Subprocess {
 public:
  /// Throws UserError when it cannot be started.
  explicit Subprocess(const SubprocessOptions& options);
  ~Subprocess() { kill(); }
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// -1 once it is gone and its number may be another process's.
  pid_t pid() const noexcept { return pid_; }
  /// Its exit code (128 + signal); nothing: it still runs at the deadline.
  std::optional<int> wait(Deadline deadline) noexcept;
  /// To the program alone.
  void signal(int number) const noexcept;
  /// The program and what is left of its group, also after wait(); returns when the program is gone.
  void kill() noexcept;

 private:
  pid_t pid_ = -1;
  bool own_group_ = true;
  std::optional<int> code_;
};

}  // namespace rankscope
