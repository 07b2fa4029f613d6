// Creates socket pairs and pipes.
#include "engine/core/base/fd.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

FdPair socket_pair(std::string_view whom, int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    throw UserError(
        fmt::format("cannot make a socket pair for {}: {}", whom, std::strerror(errno)));
  return {Fd(ends[0]), Fd(ends[1])};
}

FdPair pipe_pair(std::string_view whom) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw UserError(fmt::format("cannot make a pipe for {}: {}", whom, std::strerror(errno)));
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace rankscope
