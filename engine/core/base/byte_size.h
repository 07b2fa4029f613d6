// Byte sizes as people type them.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

/// Parses bytes: "8", "64KiB" (IEC: 1024), "32MB" (decimal: 1000), "1.5MiB". K, M, G and T alone are IEC, as in the
/// field's benchmarks. Throws a UserError that begins with `what`.
std::uint64_t parse_size(std::string_view text, std::string_view what);

/// Throws a UserError that says how to write a size, for text that is not one.
[[noreturn]] void refuse_size(std::string_view text, std::string_view what);

}  // namespace rankscope
