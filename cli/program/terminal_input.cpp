// Copies what is typed into a socket.
#include "cli/program/terminal_input.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rankscope::cli {

TerminalInput::TerminalInput() {
  if (::isatty(STDIN_FILENO) == 0) {
    theirs_ = Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    return;
  }
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  ours_ = Fd(ends[0]);
  theirs_ = Fd(ends[1]);
  thread_ = std::thread([this] { hand_on(); });
}

TerminalInput::~TerminalInput() {
  stop_.wake();
  if (thread_.joinable()) thread_.join();
}

void TerminalInput::hand_on() {
  std::array<char, 4096> text{};
  std::size_t begin = 0, end = 0;
  while (true) {
    // Reads no more while typed text waits for the program.
    std::array<pollfd, 3> items{{{stop_.fd(), POLLIN, 0},
                                 {begin == end ? STDIN_FILENO : -1, POLLIN, 0},
                                 {begin < end ? ours_.get() : -1, POLLOUT, 0}}};
    if (::poll(items.data(), items.size(), -1) < 0) continue;
    if (items[0].revents != 0) return;
    if (items[1].revents != 0) {
      const ssize_t got = ::read(STDIN_FILENO, text.data(), text.size());
      if (got <= 0) return ours_.reset();  // Ctrl+D
      begin = 0;
      end = static_cast<std::size_t>(got);
    }
    if (items[2].revents != 0) {
      const ssize_t sent =
          ::send(ours_.get(), text.data() + begin, end - begin, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return;  // the program has ended
      begin += static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
  }
}

}  // namespace rankscope::cli
