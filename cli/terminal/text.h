// Text for a terminal: counts, ASCII, control characters, and how much room it takes.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/quantity.h"

namespace rankscope::cli {

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
