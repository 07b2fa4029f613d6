// Starts another program without a shell: where PATH has it, what it inherits, how it is waited for and killed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/deadline.h"

namespace rankscope {

struct SubprocessOptions {
  /// A descriptor of the program: a copy of one of ours, or a file to open.
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
  /// Gives the program its own process group: Ctrl-C in the terminal reaches only us, and we end the program in order.
  /// Its standard input is empty unless a descriptor replaces it.
  bool own_group = true;
  int close_from = -1;  ///< Closes all descriptors from this one (>= 0), where the system can.
};

/// Starts the program, with every signal unblocked and handled by default. Returns 0 or an errno. The caller waits for
/// it.
int start_process(const SubprocessOptions& options, pid_t& pid);

/// Returns the exit code of a wait status; 128 + signal if the process was killed.
int wait_exit_code(int wait_status) noexcept;

/// A program owned by an object: the destructor kills it with its process group, even if the program itself has ended.
class Subprocess {
 public:
  /// Throws UserError if it cannot be started.
  explicit Subprocess(const SubprocessOptions& options);
  ~Subprocess() { kill(); }
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// Returns -1 once it is gone, because its number may then be another process's.
  pid_t pid() const noexcept { return pid_; }
  /// Returns its exit code (128 + signal; -1 if somebody else waited for it), or nothing if it still runs at the
  /// deadline.
  std::optional<int> wait(Deadline deadline) noexcept;
  /// Signals only the program itself.
  void signal(int number) const noexcept;
  /// Kills the program and the rest of its group, also after wait(); returns when the program is gone.
  void kill() noexcept;

 private:
  pid_t pid_ = -1;
  bool own_group_ = true;
  std::optional<int> code_;
};

/// Returns what a program prints, at most 256 KiB; empty if it cannot be started, fails, or runs past the deadline.
/// Discards its standard error. Ignores `descriptors`.
std::string output_of(SubprocessOptions options, Deadline deadline);

/// Returns the path of an executable program, or nothing. A name with a slash is the path itself. `path` is a list of
/// folders separated by colons; an empty entry is the working folder.
std::optional<std::string> program_in(std::string_view path, const std::string& program);
/// Searches the folders of the process's own PATH.
std::optional<std::string> program_on_path(const std::string& program);

}  // namespace rankscope
