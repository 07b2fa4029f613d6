// Segments, as pipelined algorithms cut them.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/core/message/communicator.h"

namespace rankscope {

/// Segment sizes when none was asked for. A ring keeps all ranks busy anyway: its segments need
/// only be short enough for the cache. In a chain a rank far from the root is idle until the first
/// segment arrives.
inline constexpr std::uint64_t kRingSegmentBytes = 512 * 1024;
inline constexpr std::uint64_t kChainSegmentBytes = 256 * 1024;
/// A switch is fast: shorter segments would cost mostly latency.
inline constexpr std::uint64_t kSwitchSegmentBytes = 2 * 1024 * 1024;

/// Cuts `count` elements into segments of at most `bytes` (at least one element each).
inline Partition segments(Count count, DType dtype, std::uint64_t bytes) {
  return Partition::segments(count, static_cast<Count>(bytes / dtype_size(dtype)));
}
inline std::uint64_t or_default(std::uint64_t segment_bytes, std::uint64_t default_bytes) {
  return segment_bytes > 0 ? segment_bytes : default_bytes;
}

/// Returns the buckets of allreduce.bucketed: four, when no segment size was asked for.
inline Partition bucket_partition(Count count, DType dtype, std::uint64_t segment_bytes) {
  constexpr int kBuckets = 4;
  return segment_bytes == 0 ? Partition(count, kBuckets) : segments(count, dtype, segment_bytes);
}

inline void wait_all(Communicator& comm, std::vector<Request>& requests,
                     Site site = std::source_location::current()) {
  for (auto& request : requests) comm.wait(request, site);
}

}  // namespace rankscope
