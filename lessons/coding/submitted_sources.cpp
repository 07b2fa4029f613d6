// Finds the text of the submitted files that a run's trace refers to.
#include "lessons/coding/submitted_sources.h"

#include <map>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/base/whole_file.h"

namespace rankscope {
namespace {

constexpr std::uintmax_t kMostSource = 1 << 20;

// A trace's texts are UTF-8, whatever a student's editor wrote.
std::string as_utf8(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    if (next_character(text, at) == U'\uFFFD') out += "\xEF\xBF\xBD";
    else out.append(text, from, at - from);
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> submitted_sources(
    const Trace& trace, const std::filesystem::path& submission) {
  std::map<std::string, int> named;
  for (const Definition& site : trace.definitions(Definition::Kind::site))
    if (site.id != 0 && !site.file.empty()) ++named[site.file];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [file, times] : named) order.emplace_back(-times, file);
  ranges::sort(order);
  std::vector<std::pair<std::string, std::string>> sources;
  for (const auto& [times, file] : order) {
    const std::filesystem::path path(file);
    // As the boxes see it, or as a compiler got it.
    if (path.has_parent_path() && path.parent_path().filename() != "submission") continue;
    std::string fault;
    const std::string text =
        read_whole(submission / path.filename(), kMostSource, fault, LinkRule::refuse);
    if (fault.empty() && !text.empty()) sources.emplace_back(file, as_utf8(text));
  }
  return sources;
}

}  // namespace rankscope
