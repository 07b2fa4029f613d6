// Standard input for a program in a process group of its own, as launchers of MPI give it to rank 0.
#pragma once

#include <thread>

#include "engine/core/base/fd.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope::cli {

/// A process of another group would be stopped if it read from the terminal, so this hands on what is typed. Files and pipes are
/// given as they are.
class TerminalInput {
 public:
  TerminalInput();
  ~TerminalInput();
  /// Returns the descriptor for the program's standard input; -1 if there is none.
  int descriptor() const noexcept { return theirs_.get(); }
  /// Call it when the program has been started.
  void started() noexcept { theirs_.reset(); }

 private:
  void hand_on();

  Fd ours_, theirs_;
  WakeFd stop_;
  std::thread thread_;
};

}  // namespace rankscope::cli
