// Splits text at separators and into lines, finds and replaces its parts, and parses numbers.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

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

}  // namespace rankscope
