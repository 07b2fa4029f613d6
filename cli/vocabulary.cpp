// Lists the words that options accept, for completion and for errors.
#include "cli/vocabulary.h"

#include <algorithm>

#include "cli/sizes.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/job_fields.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kTopology = "TOPOLOGY";

// None where they are not installed: an option then completes files only.
std::vector<std::string> known_topologies() {
  try {
    return topology_names();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> words_for(std::string_view placeholder) {
  if (placeholder.starts_with(kTopology)) return known_topologies();
  if (placeholder.find('|') != std::string_view::npos) {
    const auto words = split(placeholder, '|');
    return {words.begin(), words.end()};
  }
  std::vector<std::string> names;
  if (placeholder == "COLLECTIVE")
    for (const auto& collective : collectives()) names.emplace_back(collective.name);
  else if (placeholder == "ALGORITHM")
    for (const auto& algorithm : algorithms()) names.emplace_back(algorithm.name);
  else if (placeholder == "FORM")
    for (const auto& form : training::parallel_forms()) names.emplace_back(form.name);
  else if (const auto field = ranges::find(job_fields(), placeholder, &JobField::placeholder);
           field != job_fields().end())
    return choices_of(*field);
  names.erase(std::ranges::unique(names).begin(), names.end());  // three are called p2p
  return names;
}

bool is_file_placeholder(std::string_view placeholder) {
  return placeholder.starts_with("FILE") || placeholder == "FOLDER" ||
         placeholder.starts_with(kTopology);
}

}  // namespace rankscope::cli
