// Implements the wake-up descriptor with eventfd or a pipe.
#include "transports/zeromq/wake_fd.h"

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "engine/core/base/error.h"

namespace rankscope {

WakeFd::WakeFd() {
#ifdef __linux__
  read_ = write_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (read_ < 0 && errno == EMFILE)
    throw UserError(
        "the system allows this program no more open files: raise the limit (ulimit -n)");
  if (read_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
#else
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  for (const int end : ends) {
    ::fcntl(end, F_SETFL, O_NONBLOCK);
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  read_ = ends[0];
  write_ = ends[1];
#endif
}

WakeFd::~WakeFd() {
  ::close(read_);
  if (write_ != read_) ::close(write_);
}

void WakeFd::wake() noexcept {
  const int before = errno;  // for a signal handler's sake
  const std::uint64_t one = 1;
  // EAGAIN means that it is readable already, which is all that is wanted.
  while (::write(write_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  errno = before;
}

void WakeFd::drain() noexcept {
  std::uint64_t sink[8];
  while (true) {
    const auto got = ::read(read_, sink, sizeof sink);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || read_ == write_) return;  // one read empties an eventfd
  }
}

}  // namespace rankscope
