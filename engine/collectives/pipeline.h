// What pipelined algorithms share.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/collectives/algorithm.h"

namespace rankscope {

/// When no segment size was asked for.
inline constexpr std::uint64_t kDefaultSegmentBytes = 256 * 1024;

/// Cuts `count` elements into segments of at most `bytes` (at least one element each).
inline Partition segments(Count count, DType dtype, std::uint64_t bytes) {
  if (bytes == 0) bytes = kDefaultSegmentBytes;
  return Partition::segments(count, static_cast<Count>(bytes / dtype_size(dtype)));
}

/// Waits for all, in order.
inline void wait_all(Communicator& comm, std::vector<Request>& requests,
                     Site site = Site::current()) {
  for (auto& request : requests) comm.wait(request, site);
}

}  // namespace rankscope
