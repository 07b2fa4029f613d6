// Numbers, sizes and times as text for people, and the width of a text on the screen.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/quantity.h"

namespace rankscope::cli {

/// Returns "512 B", "64 KiB", "1.5 MiB": IEC units, at most three significant digits, no needless zeros.
std::string format_bytes(double bytes);
template <std::integral T>
std::string format_bytes(T bytes) {
  return format_bytes(static_cast<double>(bytes));
}
/// Returns "850 ns", "12.3 µs", "4.56 ms", "1.20 s" or "2 min 05 s".
std::string format_seconds(double seconds);
/// Returns "1.23 GiB/s".
std::string format_rate(double bytes_per_second);
/// Returns "1 rank" or "4 ranks".
std::string plural(std::uint64_t count, std::string_view noun);
template <std::signed_integral T>
std::string plural(T count, std::string_view noun) {
  return plural(static_cast<std::uint64_t>(count), noun);
}

/// Replaces all that a terminal in the C locale cannot show: an arrow by "->", "µs" by "us", the rest by "?".
std::string to_ascii(std::string_view utf8);

/// Escapes control sequences, since a name in a trace may hold any byte. Line ends stay, and colour codes where
/// `colors` are in use.
std::string without_orders(std::string_view text, bool colors);

/// Returns JSON as the commands print it; names of files and students' texts need not be UTF-8.
std::string json_text(const nlohmann::json& value);

/// Returns the columns that a text takes in a terminal. Colour codes and combining marks take none, East Asian wide
/// characters and pictographs two.
int display_width(std::string_view utf8);

/// Breaks a text into lines of at most `width` columns; all except the first start with `indent` blanks. Its own line
/// breaks stay.
std::string wrap(std::string_view text, int width, int indent = 0);

}  // namespace rankscope::cli
