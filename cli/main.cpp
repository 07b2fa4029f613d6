// The entry point of the `rankscope` command.
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.h"

namespace {

// Opens /dev/null for each closed standard descriptor, or the next file to be opened would take its number and be
// overwritten. Reads then find the end, writes of results fail, and messages are dropped.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free number, which is `fd`.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  // A file that grows too large (ulimit -f) is then an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(cert-err33-c)
  return rankscope::cli::run_command_line({argv, static_cast<std::size_t>(argc)});
}
