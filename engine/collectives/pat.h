// The steps of PAT: the binomial trees of all ranks, several of them at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/core/base/partition.h"

namespace rankscope {

/// Bytes of one message when no size was asked for.
inline constexpr std::uint64_t kPatMessageBytes = 1024 * 1024;

/// Returns how many blocks go in one message at most: the largest power of two that fits into `message_bytes`, but at
/// least one, and at most half of the power of two from n on.
inline int pat_aggregation(int n, std::uint64_t block_bytes, std::uint64_t message_bytes) {
  const int most = std::max(1, (1 << ceil_log2(n)) / 2);
  int blocks = 1;
  while (blocks < most && 2 * static_cast<std::uint64_t>(blocks) * block_bytes <= message_bytes)
    blocks *= 2;
  return blocks;
}

/// A step of an allgather: each rank r sends to r + distance the blocks of the ranks r - offset, for all offsets. A
/// reduce-scatter makes the steps backwards.
struct PatStep {
  int distance = 1;
  std::vector<int> offsets;
};

/// Returns the steps. A block travels to the rank `offset` after its own by the bits of the offset, the highest first.
/// The first steps cover the farthest distances, until `aggregation` blocks have been spread. The others go through the
/// trees below, all trees at once and one offset per step, so that no step has more blocks.
inline std::vector<PatStep> pat_steps(int n, int aggregation) {
  std::vector<PatStep> steps;
  const auto add = [&](int distance, int first, int stride) {
    if (first + distance >= n) return;
    auto& step = steps.emplace_back(PatStep{distance, {}});
    for (int offset = first; offset + distance < n; offset += stride)
      step.offsets.push_back(offset);
  };
  const int all = 1 << ceil_log2(n), tree = all / aggregation;  // offsets in one of the trees below
  for (int distance = all / 2; distance >= tree; distance /= 2) add(distance, 0, 2 * distance);
  for (int x = 1; x < tree; ++x) add(x & -x, x - (x & -x), tree);
  return steps;
}

/// Returns the number of steps: log2 of the aggregation, plus the offsets of a tree except its first.
inline std::int64_t pat_rounds(int n, int aggregation) {
  const int tree = std::min(n, (1 << ceil_log2(n)) / aggregation);
  return ceil_log2(aggregation) + tree - 1;
}

}  // namespace rankscope
