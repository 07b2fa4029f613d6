// One process of a Python program that has loaded what all copies of the program import, and from which they are forked.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/fd_pair.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {

/// PyTorch takes longer to load than a small program to run, and is loaded once for all copies. The other end is
/// lessons/python/site/_stem.py. Only an object of class Children, which adopts the copies, makes use of it.
class ProgramStem {
 public:
  /// Starts it, to load `modules`. `environment`: what all copies share. `folder`: the program's own; if a file in it hides a
  /// module that is loaded, nothing is forked. Throws UserError.
  ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
              const std::vector<std::string>& modules, const std::string& folder);

  /// Waits until copies can be forked. False: they have to be started, because a module cannot be loaded or starts a thread,
  /// or because `interrupt_fd` became readable.
  bool wait_ready(int interrupt_fd);
  /// Forks a copy, which leads a process group of its own. Returns its number, or -1.
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
