// Ctrl-C as a file descriptor that a run can wait on.
#pragma once

#include <csignal>

namespace rankscope::cli {

/// While an object of this class exists (one at a time), SIGINT and SIGTERM make fd() readable instead of ending the
/// process; a second signal ends it at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  int fd() const noexcept;
  bool happened() const noexcept;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

/// Asks this process to end, as Ctrl-C does, when the one that started it is gone.
void end_with_parent() noexcept;

}  // namespace rankscope::cli
