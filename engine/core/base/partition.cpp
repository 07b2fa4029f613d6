// Computes offsets and lengths of chunks and segments.
#include "engine/core/base/partition.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

Partition::Partition(Count count, int parts) : count_(count), parts_(parts) {
  if (count < 0) throw UserError(fmt::format("a count must be 0 or more, not {}", count));
  if (parts < 1) throw UserError(fmt::format("a partition needs at least one part, not {}", parts));
  base_ = count / parts;
  longer_ = count % parts;
}

Partition Partition::segments(Count count, Count length) {
  const Count wanted = length < 1 ? 1 : std::max<Count>(1, (count + length - 1) / length);
  return {count, static_cast<int>(std::min<Count>(wanted, std::numeric_limits<int>::max()))};
}

Count Partition::offset_of(int chunk) const noexcept {
  return base_ * chunk + std::min<Count>(chunk, longer_);
}

Range Partition::operator[](int chunk) const noexcept {
  assert(chunk >= 0 && chunk < parts_);
  return {offset_of(chunk), base_ + (chunk < longer_ ? 1 : 0)};
}

Range Partition::span(int first, int last) const noexcept {
  assert(first >= 0 && first <= last && last <= parts_);
  return {offset_of(first), offset_of(last) - offset_of(first)};
}

int Partition::chunk_of(Count element) const noexcept {
  const Count in_longer = longer_ * (base_ + 1);
  if (element < in_longer) return static_cast<int>(element / (base_ + 1));
  return static_cast<int>(longer_ + (element - in_longer) / std::max<Count>(base_, 1));
}

}  // namespace rankscope
