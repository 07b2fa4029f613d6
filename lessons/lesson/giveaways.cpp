// Takes texts apart into numbers and signs, and looks for an answer among them.
#include "lessons/lesson/giveaways.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kLeastSigns = 3;  // of a formula: "N-1" has three
constexpr std::size_t kLeastDigits = 2, kLeastDecimals = 3;
constexpr std::size_t kAround = 24;  // characters of a text that are shown on each side

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// ---- A text as words ----

struct TextWord {
  std::string text;
  std::size_t begin = 0, end = 0;  // in the text
  bool number() const { return digit(text.front()); }
};

// "1,024.5" at `at`: its end.
std::size_t number_end(std::string_view text, std::size_t at) {
  const auto digits = [&](std::size_t from) {
    while (from < text.size() && digit(text[from])) ++from;
    return from;
  };
  std::size_t end = digits(at);
  while (end < text.size() && text[end] == ',' && digits(end + 1) == end + 4) end += 4;
  if (end + 1 < text.size() && text[end] == '.' && digit(text[end + 1])) end = digits(end + 1);
  return end;
}

std::vector<TextWord> words_of_text(std::string_view text) {
  std::vector<TextWord> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    if (digit(text[at])) at = number_end(text, at);
    else if (letter(text[at])) {
      while (at < text.size() && letter(text[at])) ++at;
      while (at < text.size() && digit(text[at])) ++at;  // log2
    } else {
      ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    std::string word(text.substr(begin, at - begin));
    if (digit(word.front())) std::erase(word, ',');
    out.push_back({std::move(word), begin, at});
  }
  return out;
}

std::string around(std::string_view text, std::size_t begin, std::size_t end) {
  begin = begin > kAround ? begin - kAround : 0;
  end = std::min(end + kAround, text.size());
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  std::string out(trimmed(text.substr(begin, end - begin)));
  ranges::replace(out, '\n', ' ');
  return out;
}

// ---- Numbers ----

// Not "2^23", "100r" or "3.2.1": those are no values.
std::vector<TextWord> numbers_in(std::string_view text) {
  std::vector<TextWord> out;
  for (TextWord& word : words_of_text(text)) {
    if (!word.number()) continue;
    const char before = word.begin > 0 ? text[word.begin - 1] : ' ';
    const char after = word.end < text.size() ? text[word.end] : ' ';
    if (letter(before) || digit(before) ||
        std::string_view("^_.,/").find(before) != std::string_view::npos)
      continue;
    if (letter(after) || after == '^' || after == '_') continue;
    out.push_back(std::move(word));
  }
  return out;
}

bool says_value(const TextWord& word, double value) {
  const auto point = word.text.find('.');
  if (point == std::string::npos)
    return word.text.size() >= kLeastDigits && std::stod(word.text) == value;
  const auto decimals = word.text.size() - point - 1;
  const auto first = word.text.find_first_not_of("0.");
  if (first == std::string::npos) return false;
  const auto digits = word.text.size() - first - (first < point ? 1 : 0);
  return digits >= kLeastDecimals && fmt::format("{:.{}f}", value, decimals) == word.text;
}

// Between the numbers of one list: ", ", " and ".
bool lists_on(std::string_view between) {
  between = trimmed(between);
  return between.empty() || between == "," || between == ";" || between == "and" ||
         between == ", and";
}

std::string find_row(const std::vector<double>& row, std::string_view text,
                     const std::vector<TextWord>& numbers) {
  for (std::size_t i = 0; i + row.size() <= numbers.size(); ++i) {
    bool fits = true;
    for (std::size_t k = 0; fits && k < row.size(); ++k) {
      fits = std::stod(numbers[i + k].text) == row[k];
      if (fits && k > 0) {
        const auto end = numbers[i + k - 1].end;
        fits = lists_on(text.substr(end, numbers[i + k].begin - end));
      }
    }
    if (fits) return around(text, numbers[i].begin, numbers[i + row.size() - 1].end);
  }
  return "";
}

std::string find_one(double value, std::string_view text, const std::vector<TextWord>& numbers) {
  const auto found =
      ranges::find_if(numbers, [&](const TextWord& word) { return says_value(word, value); });
  return found == numbers.end() ? "" : around(text, found->begin, found->end);
}

std::string find_values(const std::vector<double>& values, std::string_view text) {
  const auto numbers = numbers_in(text);
  const std::set<double> different(values.begin(), values.end());
  if (different.empty()) return "";
  if (different.size() > 1)
    if (std::string row = find_row(values, text, numbers); !row.empty()) return row;
  std::string out;
  for (const double value : different) {
    if (different.size() > 1 && std::abs(value) < 10) continue;
    out = find_one(value, text, numbers);
    if (out.empty()) return "";
  }
  return out;
}

// The numbers of a list, lists in it too; `only` becomes false where there is something else.
void take_numbers(const json& value, std::vector<double>& out, bool& only) {
  if (value.is_number()) out.push_back(value.get<double>());
  else if (value.is_array())
    for (const json& one : value) take_numbers(one, out, only);
  else only = false;
}

// ---- Formulas ----

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Signs of a formula, with one spelling for each; products have none.
std::vector<std::string> signs_of(std::string_view raw) {
  std::string text(raw);
  for (const auto& [from, to] : {std::pair{"−", "-"},
                                 {"·", " "},
                                 {"×", " "},
                                 {"*", " "},
                                 {"α", " alpha "},
                                 {"β", " beta "},
                                 {"γ", " gamma "},
                                 {"⌈log2 N⌉", "ceil(log2(N))"},
                                 {"log2 N", "log2(N)"}})
    text = replaced(std::move(text), from, to);
  std::vector<std::string> out;
  for (TextWord& word : words_of_text(text)) {
    const bool product = word.text.size() <= 3 && ranges::all_of(word.text, [](char c) {
                           return std::isupper(static_cast<unsigned char>(c)) != 0;
                         });
    if (!product) out.push_back(std::move(word.text));
    else
      for (const char c : word.text) out.emplace_back(1, c);
  }
  return out;
}

// Does a formula go on there? "a N - 1" does not, "2 (N - 1)" does.
bool goes_on(const std::string& sign, std::string_view brackets) {
  if (sign.size() == 1 && letter(sign[0])) return sign != "a" && sign != "A" && sign != "I";
  return digit(sign[0]) || sign == "alpha" || sign == "beta" || sign == "gamma" || sign == "²" ||
         sign == "³" || std::string_view("+-/^").find(sign[0]) != std::string_view::npos ||
         brackets.find(sign) != std::string_view::npos;
}

std::string find_formula(const std::string& key, std::string_view text) {
  const auto wanted = signs_of(key), signs = signs_of(text);
  const auto size = wanted.size();
  if (size < kLeastSigns) return "";
  for (std::size_t i = 0; i + size <= signs.size(); ++i) {
    if (!std::equal(wanted.begin(), wanted.end(), signs.begin() + static_cast<std::ptrdiff_t>(i)))
      continue;
    if (i > 0 && goes_on(signs[i - 1], "(⌈⌊|")) continue;
    if (i + size < signs.size() && goes_on(signs[i + size], ")⌉⌋|")) continue;
    return fmt::format("{}", fmt::join(wanted, " "));
  }
  return "";
}

}  // namespace

std::string find_answer(const json& key, std::string_view text) {
  if (key.is_string()) return find_formula(key.get<std::string>(), text);
  if (key.is_object()) {
    std::string out;
    for (const json& column : key) {
      out = find_answer(column, text);
      if (out.empty()) return "";
    }
    return out;
  }
  std::vector<double> values;
  bool only = true;
  take_numbers(key, values, only);
  return only ? find_values(values, text) : "";
}

}  // namespace rankscope
