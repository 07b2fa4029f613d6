// A question or an order cut into words: in lower case, numbers apart from their units, without words that change nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

struct PlainWord {
  std::string text;   ///< In lower case, as rankscope calls it: "bde" for "butterfly".
  std::string typed;  ///< As it was typed.
  bool operator==(std::string_view other) const { return text == other; }
};

/// Stands where words were that have been understood, so that their neighbours do not become each other's.
inline constexpr std::string_view kTaken = "|";

/// Numbers are words of their own: "1GiB" is "1" and "gib". "ten" is "10"; "what if", "the" and the like are left out.
std::vector<PlainWord> plain_words(std::string_view text);

bool is_number(std::string_view word);
/// "2x4x8".
bool is_shape(std::string_view word);
/// Returns the two ranks of "0-1".
std::optional<std::pair<std::string, std::string>> pair_of(std::string_view word);
/// Returns the bytes of a unit such as "gib" or "gigabytes"; 0 if it is none.
double bytes_of_unit(std::string_view unit);
/// Returns whether the word is in a list of words separated by spaces.
bool is_one_of(std::string_view word, std::string_view list);
/// Returns words that are understood, for guesses at those that are not.
std::span<const std::string_view> known_plain_words();

}  // namespace rankscope::gui
