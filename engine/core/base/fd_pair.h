// Pairs of descriptors: one end for this process, one for a child.
#pragma once

#include <string_view>

#include <sys/socket.h>

#include "engine/core/base/fd.h"

namespace rankscope {

/// Both close with exec. Of a pipe `ours` is the end that is read from.
struct FdPair {
  Fd ours, theirs;
};

/// Throw UserError, which says that there can be none for `whom` ("a box").
FdPair socket_pair(std::string_view whom, int type = SOCK_STREAM);
FdPair pipe_pair(std::string_view whom);

}  // namespace rankscope
