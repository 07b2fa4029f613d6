// The words that may stand for a placeholder of an option.
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace rankscope::cli {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
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

}  // namespace

std::vector<std::string> choices_of(std::string_view placeholder) {
  if (placeholder.find('|') != std::string_view::npos) return split(placeholder, '|');
  if (placeholder == "DTYPE") return names_of(kAllDTypes);
  if (placeholder == "OP") return names_of(kAllReduceOps);
  return {};
}

bool is_file_placeholder(std::string_view placeholder) {
  return placeholder.starts_with("FILE") || placeholder == "FOLDER";
}

}  // namespace rankscope::cli
