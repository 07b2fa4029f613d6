// Texts of others (names of files, of a student's phases), as they may be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// The character that begins at `at`, which moves behind it. U+FFFD for what is not UTF-8. Precondition:
/// at < text.size().
constexpr char32_t next_character(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
  if (more == 0 || first > 0xF4) return U'\uFFFD';
  char32_t character = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0) != 0x80) return U'\uFFFD';
    character = character << 6 | (byte(at++) & 0x3FU);
  }
  // Longer than it has to be, half of a UTF-16 pair, or beyond the last character.
  const char32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  return character < least || surrogate || character > 0x10FFFF ? U'\uFFFD' : character;
}

/// U+FFFE, U+FFFF and their like in each plane, and U+FDD0 to U+FDEF: numbers that are no characters.
/// UTF-8 may hold them, but XML and Cairo refuse a text for them.
constexpr bool is_noncharacter(char32_t character) noexcept {
  return (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

/// C0, DEL and C1: what a terminal may take as an order.
constexpr bool is_control(char32_t character) noexcept {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

/// Valid UTF-8 without control characters and noncharacters: a control becomes a space, whatever else is
/// no character U+FFFD. For pictures.
std::string printable(std::string_view text);

/// The same for messages, where one wants to know what is there: "a\x1b[31m.svg".
std::string escaped(std::string_view text);

/// A to Z as a to z; all else stays.
std::string ascii_lower(std::string_view text);

/// Without the blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// At most so many bytes, whole characters, with an ellipsis where it was cut.
std::string shortened(std::string text, std::size_t most);

}  // namespace rankscope
