// Copies blocks that are too large to stay in a cache until they are read.
#pragma once

#include <cstddef>

namespace rankscope {

/// memcpy that bypasses the caches above a certain size, so that the old contents of `into` are not read first; this
/// saves a third of the memory traffic. The ranges must not overlap.
void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace rankscope
