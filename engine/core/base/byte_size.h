// Sizes as people type them.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

/// Bytes: "8", "64KiB" (IEC: 1024), "32MB" (decimal: 1000), "1.5MiB". K, M, G and T alone are IEC,
/// as in every benchmark of this field. Throws UserError that begins with `what`.
std::uint64_t parse_size(std::string_view text, std::string_view what);

/// It is not a size at all: what to write instead. Throws.
[[noreturn]] void refuse_size(std::string_view text, std::string_view what);

}  // namespace rankscope
