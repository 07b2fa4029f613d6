// The closed form of overlap: when the allreduces of buckets run that become full while a backward pass goes on, and
// how much of them is exposed (the order of things: Li et al., PyTorch Distributed, VLDB 2020, section 3.2.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/base/interval.h"

namespace rankscope {

/// The allreduces of buckets in a channel that carries one at a time, in their order: bucket j, full at r_j and lasting
/// a_j, ends at t_j = max(r_j, t_(j-1)) + a_j. Both spans have one value a bucket; r ascends.
std::vector<Interval> channel_times(std::span<const std::int64_t> full,
                                    std::span<const std::int64_t> lasting);

/// The time from the end of the backward pass to the end of the last allreduce, without recurrence:
/// max(0, max_j (r_j + a_j + a_(j+1) + ... + a_last) - end_of_computing).
std::int64_t exposed_time(std::span<const std::int64_t> full, std::span<const std::int64_t> lasting,
                          std::int64_t end_of_computing);

}  // namespace rankscope
