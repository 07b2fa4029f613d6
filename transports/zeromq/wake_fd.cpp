// Implements the wake-up descriptor with an eventfd.
#include "transports/zeromq/wake_fd.h"

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/core/base/error.h"

namespace rankscope {

WakeFd::WakeFd() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.get() < 0 && errno == EMFILE)
    throw UserError(
        "the system allows this program no more open files: raise the limit (ulimit -n)");
  if (event_.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void WakeFd::wake() noexcept {
  const int before = errno;  // for a signal handler's sake
  const std::uint64_t one = 1;
  // EAGAIN means that it is readable already, which is all that is wanted.
  while (::write(fd(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  errno = before;
}

void WakeFd::drain() noexcept {
  std::uint64_t count = 0;
  while (::read(fd(), &count, sizeof count) < 0 && errno == EINTR) {  // one read empties it
  }
}

}  // namespace rankscope
