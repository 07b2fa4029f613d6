// Sizes and lists as users type them: "8", "64KiB", "8:64MiB", "2,4,8". All throw UserError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/byte_size.h"
#include "engine/core/base/types.h"

namespace rankscope::cli {

/// `what` names the option in errors: "--bytes".
using rankscope::parse_size;

/// "8", "8,1KiB,1MiB", or a range "8:64MiB" (every power of two from 8 on; the end is included) or
/// "8:64MiB:x4" (every fourth-fold). Ascending, without repetitions.
std::vector<std::uint64_t> parse_sizes(std::string_view text, std::string_view what);

/// "2,4,8": its parts; of an empty text one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A whole number, with the limits in the error.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t lowest,
                           std::int64_t highest);
/// "2,4,8".
std::vector<int> parse_integers(std::string_view text, std::string_view what, int lowest,
                                int highest);
/// "3=250", each rank once: a vector with one entry a rank, 0 where none was given.
std::vector<double> parse_delays(const std::vector<std::string>& texts, std::string_view what,
                                 int world_size);

}  // namespace rankscope::cli
