// Pairs of descriptors: one end for this process, one for a child.
#pragma once

#include <string_view>

#include <sys/socket.h>

#include "engine/core/base/fd.h"

namespace rankscope {

/// Both are closed by exec. For a pipe, `ours` is the read end.
struct FdPair {
  Fd ours, theirs;
};

/// Throw a UserError that names `whom` ("a box") if the pair cannot be made.
FdPair socket_pair(std::string_view whom, int type = SOCK_STREAM);
FdPair pipe_pair(std::string_view whom);

}  // namespace rankscope
