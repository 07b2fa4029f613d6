// Replaces or escapes what is not printable, and changes case, ends and length of texts.
#include "engine/core/base/utf8.h"

#include <fmt/format.h>

namespace rankscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

template <class Odd>
std::string replaced(std::string_view text, const Odd& odd) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const auto bytes = text.substr(begin, at - begin);
    const bool invalid =
        (character == U'\uFFFD' && bytes != kReplacement) || is_noncharacter(character);
    if (invalid || is_control(character) || is_direction(character)) out += odd(bytes, invalid);
    else out += bytes;
  }
  return out;
}

}  // namespace

std::string with_directions_shown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    if (is_direction(character)) out += fmt::format("[U+{:04X}]", static_cast<unsigned>(character));
    else out += text.substr(begin, at - begin);
  }
  return out;
}

std::string printable(std::string_view text) {
  return replaced(text, [](std::string_view, bool invalid) {
    return invalid ? std::string(kReplacement) : std::string(" ");
  });
}

std::string escaped(std::string_view text) {
  return replaced(text, [](std::string_view bytes, bool) {
    if (bytes == "\n") return std::string("\\n");
    if (bytes == "\t") return std::string("\\t");
    std::string out;
    for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return out;
  });
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string ascii_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string capitalized(std::string text) {
  if (!text.empty()) text.replace(0, 1, ascii_upper(text.substr(0, 1)));
  return text;
}

std::string letters(std::string_view name) {
  std::string out = ascii_lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

}  // namespace rankscope
