// Texts: their parts, numbers and case, what is safe to show of foreign ones (file names, names of a student's phases),
// and "did you mean ...?" for words that people type.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// ---- Parts ----

/// Splits `text` at any of these characters, and keeps empty parts. Returns views of `text`.
inline std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  for (auto end = text.find_first_of(separators); end != std::string_view::npos;
       end = text.find_first_of(separators)) {
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  out.push_back(text);
  return out;
}

/// Returns the lines without their line ends, as views of `text`. The last line need not have an end.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out = split_at(text, "\n");
  if (out.back().empty()) out.pop_back();
  return out;
}

/// Returns whether a program's name may contain the character: a letter, a digit or an underscore.
inline bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns the name that a text begins with: "rows" of "rows[0]"; may be empty.
inline std::string_view first_name(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(
                            std::find_if_not(text.begin(), text.end(), in_name) - text.begin()));
}

/// Returns the name that a text ends with: "post" of "int post"; may be empty.
inline std::string_view last_name(std::string_view text) {
  const auto begin = std::find_if_not(text.rbegin(), text.rend(), in_name);
  return text.substr(static_cast<std::size_t>(text.rend() - begin));
}

/// Returns the first position at or after `from` where `name` stands as a whole name; npos if there is none.
inline std::size_t find_name(std::string_view text, std::string_view name, std::size_t from = 0) {
  if (name.empty()) return text.npos;
  for (auto at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end])))
      return at;
  }
  return text.npos;
}

inline bool has_name(std::string_view text, std::string_view name) {
  return find_name(text, name) != text.npos;
}

/// Returns the number of blanks and tabs that a line begins with.
inline std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// Replaces every `what`; does not search `by` again. An empty `what` replaces nothing.
inline void replace_all(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// Parses the whole text as a number. Returns nothing for other text, or if the type cannot hold the number.
template <class Number>
std::optional<Number> as_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// ---- Characters in UTF-8 ----

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

// ---- Mistyped words ----

/// Edits (insert, delete, replace, swap of neighbours) between two words.
int edit_distance(std::string_view a, std::string_view b);

/// Returns the candidates most likely meant by a mistyped word, best first, at most `limit`. Ignores case.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t limit = 3);

/// "did you mean 'run'?" or, for several, "did you mean 'run' or 'man'?"; empty for none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown word: "; did you mean 'run'?", or `otherwise` after the semicolon if
/// no candidate is close.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise = "");

}  // namespace rankscope
