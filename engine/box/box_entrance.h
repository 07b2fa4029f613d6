// How a process of ours enters a box that bubblewrap has made, instead of being started in it.
#pragma once

#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"

namespace rankscope {

/// Of a box whose spec is `enterable`.
struct BoxEntrance {
  Fd process;     ///< The box's own program, which waits in it: setns() takes its namespaces.
  Fd out, err;    ///< Pipes that the supervisor reads.
  uid_t uid = 0;  ///< Who a process has to become before it enters.
  gid_t gid = 0;
  /// Of the kernel, which it sets itself before that; and of processes, inside.
  std::vector<std::pair<int, unsigned long>> limits;
  unsigned long most_processes = 0;  ///< 0: none.
};

}  // namespace rankscope
