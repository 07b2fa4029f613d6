// A Python process that has loaded what all copies of a program import; the copies are forked from it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {

/// PyTorch takes longer to load than a small program takes to run, so it is loaded once for all copies. The other end
/// is lessons/python/site/_stem.py. Only Children, which adopts the copies, uses it.
class ProgramStem {
 public:
  /// Starts a process that loads `modules`. All copies share `environment`. If a file in the program's `folder` hides a
  /// loaded module, nothing is forked. Throws UserError.
  ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
              const std::vector<std::string>& modules, const std::string& folder);

  /// Waits, at most a minute, until copies can be forked. Returns false if they must be started instead, because a
  /// module cannot be loaded or starts a thread, or `interrupt_fd` became readable.
  bool wait_ready(int interrupt_fd);
  /// Forks a copy, which leads its own process group. Returns its process id, or -1.
  pid_t fork_copy(const std::vector<std::string>& environment,
                  const std::vector<SubprocessOptions::Descriptor>& descriptors);

  pid_t pid() const noexcept { return process_.pid(); }

 private:
  ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
              const std::vector<std::string>& modules, const std::string& folder, FdPair channel);

  Fd channel_;
  Subprocess process_;
};

}  // namespace rankscope
