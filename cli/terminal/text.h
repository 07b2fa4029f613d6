// How numbers, sizes and times are written for people, and how much room a text takes.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope::cli {

/// "512 B", "64 KiB", "1.5 MiB": IEC units, at most three significant digits, no needless zeros.
std::string format_bytes(double bytes);
template <std::integral T>
std::string format_bytes(T bytes) {
  return format_bytes(static_cast<double>(bytes));
}
/// "850 ns", "12.3 µs", "4.56 ms", "1.20 s", "2 min 05 s".
std::string format_seconds(double seconds);
/// "1.23 GiB/s".
std::string format_rate(double bytes_per_second);
/// "1 rank", "4 ranks".
std::string plural(std::uint64_t count, std::string_view noun);
template <std::signed_integral T>
std::string plural(T count, std::string_view noun) {
  return plural(static_cast<std::uint64_t>(count), noun);
}

/// The same text without anything that a terminal in the C locale cannot show: "->" for an arrow,
/// "us" for microseconds, "?" for what has no likeness.
std::string to_ascii(std::string_view utf8);

/// The same text without what a terminal would take as an order: a name in a trace or of a file may
/// hold any byte. Line ends stay, and our own colours where they are in use.
std::string without_orders(std::string_view text, bool colors);

/// JSON as the commands print it. Names of files and a student's texts may be no UTF-8.
std::string json_text(const nlohmann::json& value);

/// Columns that a text takes in a terminal: code points, without colour codes and combining marks;
/// East Asian wide characters and pictographs take two.
int display_width(std::string_view utf8);

/// Words joined into lines of at most `width` columns; every line starts with `indent` blanks,
/// except the first. Line breaks in the text stay.
std::string wrap(std::string_view text, int width, int indent = 0);

}  // namespace rankscope::cli
