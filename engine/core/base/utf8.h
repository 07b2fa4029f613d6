// Makes foreign texts (file names, names of a student's phases) safe to show, and changes case, ends and length of
// texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// Decodes the character at `at`, and moves `at` past it. Returns U+FFFD for invalid UTF-8. Precondition: at <
/// text.size().
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
  // An overlong form, half of a UTF-16 pair, or beyond the last code point.
  const char32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  return character < least || surrogate || character > 0x10FFFF ? U'\uFFFD' : character;
}

/// Noncharacters: U+FFFE, U+FFFF and their like in each plane, and U+FDD0 to U+FDEF. UTF-8 may contain them, but XML
/// and Cairo refuse such a text.
constexpr bool is_noncharacter(char32_t character) noexcept {
  return (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

/// C0, DEL and C1 controls, which a terminal may interpret.
constexpr bool is_control(char32_t character) noexcept {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

/// Marks that change the direction of the text around them: what is read is then not what is there.
constexpr bool is_direction(char32_t character) noexcept {
  return (character >= 0x202A && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069) || character == 0x061C ||
         character == 0x200E || character == 0x200F;
}

/// Returns the text with such marks written as "[U+202E]".
std::string with_directions_shown(std::string_view text);

/// Returns valid UTF-8 for pictures: a control or direction becomes a space, a noncharacter or invalid byte U+FFFD.
std::string printable(std::string_view text);

/// Returns valid UTF-8 for messages, with those made visible: "a\x1b[31m.svg".
std::string escaped(std::string_view text);

/// Lowercases A to Z; leaves all else unchanged.
std::string ascii_lower(std::string_view text);

/// Capitalizes a to z; leaves all else unchanged.
std::string ascii_upper(std::string_view text);

/// Capitalizes the first letter if it is a to z.
std::string capitalized(std::string text);

/// Returns a name for comparison: in lower case, without "_", "-" and spaces.
std::string letters(std::string_view name);

/// Removes blanks, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

/// Cuts to at most the given number of bytes, in whole characters, and then appends an ellipsis.
std::string shortened(std::string text, std::size_t most);

}  // namespace rankscope
