// Lists the words that options accept, for completion and for errors.
#include "cli/vocabulary.h"

#include <algorithm>

#include "engine/collectives/algorithm.h"
#include "engine/run/job/job_fields.h"

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

}  // namespace

std::vector<std::string> choices_of(std::string_view placeholder) {
  if (placeholder.find('|') != std::string_view::npos) return parted(placeholder, '|');
  std::vector<std::string> names;
  if (placeholder == "COLLECTIVE" || placeholder == "ALGORITHM") {
    for (const auto& algorithm : algorithms())
      names.emplace_back(placeholder == "ALGORITHM" ? algorithm.name
                                                    : to_string(algorithm.collective));
    names.erase(std::ranges::unique(names).begin(), names.end());  // they are sorted by collective
    return names;
  }
  const auto field = std::ranges::find(job_fields(), placeholder, &JobField::placeholder);
  return field == job_fields().end() ? names : rankscope::choices_of(*field);
}

bool is_file_placeholder(std::string_view placeholder) {
  return placeholder.starts_with("FILE") || placeholder == "FOLDER";
}

}  // namespace rankscope::cli
