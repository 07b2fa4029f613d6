// Installs the handler for Ctrl-C; the handler makes a file descriptor readable.
#include "cli/interrupt.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace rankscope::cli {
namespace {

// The only data that the signal handler touches.
std::array<int, 2> pipe_ends{-1, -1};
volatile std::sig_atomic_t signals_seen = 0;
// Each thread of a parent that is killed sends the signal once more.
volatile std::sig_atomic_t ends_with_parent = 0;

void on_signal(int number) {
  signals_seen = signals_seen + 1;
  if (signals_seen > 1 && ends_with_parent == 0) {
    std::signal(number, SIG_DFL);  // NOLINT: async-signal-safe by POSIX
    raise(number);                 // NOLINT: delivered when this handler returns
    return;
  }
  const int saved = errno;
  [[maybe_unused]] const auto written = ::write(pipe_ends[1], "!", 1);
  errno = saved;
}

}  // namespace

Interrupt::Interrupt() {
  if (pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  for (int& end : pipe_ends) {
    ::close(end);
    end = -1;
  }
}

int Interrupt::fd() const noexcept { return pipe_ends[0]; }
bool Interrupt::happened() const noexcept { return signals_seen > 0; }

void end_with_parent() noexcept {
  // The pipes end with the parent, and a process that writes into them must still end its ranks. It is a handler, since
  // ranks would inherit an ignored signal.
  std::signal(SIGPIPE, [](int) {});
  ends_with_parent = 1;
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

}  // namespace rankscope::cli
