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
  return character;
}

/// C0, DEL and C1: what a terminal may take as an order.
constexpr bool is_control(char32_t character) noexcept {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

/// Valid UTF-8 without control characters: what is neither becomes U+FFFD or a space. For pictures.
std::string printable(std::string_view text);

/// The same for messages, where one wants to know what is there: "a\x1b[31m.svg".
std::string escaped(std::string_view text);

}  // namespace rankscope
