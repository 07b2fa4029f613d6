// Standard input for a program in a process group of its own, as launchers of MPI give it to rank 0.
#pragma once

#include <thread>

#include "engine/core/base/fd.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope::cli {

/// A process of another group may not read from the terminal (it would be stopped), so what is typed is handed on. Files and
/// pipes are given as they are.
class TerminalInput {
 public:
  TerminalInput();
  ~TerminalInput();
  /// The descriptor that is to be the program's standard input; -1: there is none.
  int descriptor() const noexcept { return theirs_.get(); }
  /// To be called when the program has been started.
  void started() noexcept { theirs_.reset(); }

 private:
  void hand_on();

  Fd ours_, theirs_;
  WakeFd stop_;
  std::thread thread_;
};

}  // namespace rankscope::cli
