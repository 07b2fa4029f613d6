// Maps the words of options to enumerators, and lists the accepted words for errors and completion.
#include "cli/vocabulary.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"

namespace rankscope::cli {
namespace {

std::vector<std::string> parted(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (;;) {
    const auto end = text.find(separator);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(to_string(value));
  return names;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const auto& algorithm : algorithms()) {
    const std::string name(to_string(algorithm.collective));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// `value` is what a parser made of `text`.
template <class T>
T known(std::optional<T> value, std::string_view what, std::string_view text,
        std::string_view placeholder) {
  if (value) return *value;
  const auto words = choices_of(placeholder);
  const auto guess = did_you_mean(text, words);
  throw UserError(fmt::format("{}: '{}' is none of {}{}{}", what, text, fmt::join(words, ", "),
                              guess.empty() ? "" : "; ", guess));
}

}  // namespace

std::vector<std::string> choices_of(std::string_view placeholder) {
  if (placeholder.find('|') != std::string_view::npos) return parted(placeholder, '|');
  if (placeholder == "DTYPE") return names_of(kAllDTypes);
  if (placeholder == "OP") return names_of(kAllReduceOps);
  if (placeholder == "COLLECTIVE") return collective_names();
  if (placeholder != "ALGORITHM") return {};
  std::vector<std::string> names;
  for (const auto& algorithm : algorithms()) names.emplace_back(algorithm.name);
  return names;
}

bool is_file_placeholder(std::string_view placeholder) {
  return placeholder.starts_with("FILE") || placeholder == "FOLDER";
}

DType dtype_named(std::string_view text) {
  return known(parse_dtype(text), "--dtype", text, "DTYPE");
}

}  // namespace rankscope::cli
