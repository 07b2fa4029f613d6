// Random numbers and hashes that are the same on every machine and for ever: what a seed stands for is printed
// on answer sheets.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/base/random.h"

namespace rankscope {

/// FNV-1a.
inline std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return out;
}

}  // namespace rankscope
