// Copying what is too large to be still in a cache when somebody reads it.
#pragma once

#include <cstddef>

namespace rankscope {

/// memcpy. From some size on it writes past the caches, so that the old contents of `into` are not read first: a third
/// of the traffic to memory less. The ranges must not overlap.
void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace rankscope
