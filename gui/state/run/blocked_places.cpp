// Finds source lines of a deadlock, with a line before and after.
#include "gui/state/run/blocked_places.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "gui/state/run/code_places.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostNamed = 8;
constexpr std::size_t kMostExcerpts = 4;

/// "rank 2", "ranks 0, 1, 2", "ranks 0 to 63", "12 ranks, from 0 to 40"
std::string ranks_named(const std::vector<Rank>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.size() <= kMostNamed) return fmt::format("ranks {}", fmt::join(ranks, ", "));
  const bool all = static_cast<std::size_t>(ranks.back() - ranks.front()) + 1 == ranks.size();
  if (all) return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("{} ranks, from {} to {}", ranks.size(), ranks.front(), ranks.back());
}

/// What all of its lines have.
void remove_indentation(Problem::Excerpt& excerpt) {
  std::size_t least = std::string::npos;
  for (const auto& [number, line] : excerpt.lines)
    least = std::min(least, std::min(line.find_first_not_of(" \t"), line.size()));
  for (auto& [number, line] : excerpt.lines) line.erase(0, std::min(least, line.size()));
}

}  // namespace

BlockedPlaces::BlockedPlaces(const Trace& trace) : trace_(trace), blocked_(blocked_ranks(trace)) {}

const BlockedGroup* BlockedPlaces::group_of(const Finding& finding) const {
  for (const BlockedGroup& group : blocked_.groups)
    for (const BlockedVerb& verb : group.roots)
      if (ranges::find(finding.events, verb.event) != finding.events.end()) return &group;
  return nullptr;
}

Problem::Excerpt BlockedPlaces::excerpt(std::string title, const std::string& file,
                                        unsigned line) const {
  Problem::Excerpt shown;
  shown.title = std::move(title);
  shown.marked = line;
  for (const auto& [name, text] : trace_.meta().sources) {
    if (!same_file(name, file)) continue;
    std::string_view rest = text;
    for (unsigned at = 1; at <= line + 1 && !rest.empty(); ++at) {
      const auto end = rest.find('\n');
      const auto words = rest.substr(0, end);
      const bool blank = words.find_first_not_of(" \t\r") == std::string_view::npos;
      // An empty line is no context.
      if (at + 1 >= line && (at == line || !blank)) shown.lines.emplace_back(at, printable(words));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    break;
  }
  remove_indentation(shown);
  return shown;
}

void BlockedPlaces::add_to(const Finding& finding, Problem& problem) const {
  const BlockedGroup* group = group_of(finding);
  if (group == nullptr) return;
  struct Stand {
    std::vector<Rank> ranks;
    std::uint64_t event = 0;
  };
  std::map<std::pair<std::string, unsigned>, Stand> lines;
  for (const auto* verbs : {&group->roots, &group->followers})
    for (const BlockedVerb& verb : *verbs) {
      if (verb.line == 0) continue;
      Stand& stand = lines[{verb.file, verb.line}];
      if (stand.ranks.empty()) stand.event = verb.event;
      stand.ranks.push_back(verb.rank);
    }
  for (auto& [at, stand] : lines) {
    if (problem.stands.size() >= kMostExcerpts) break;
    ranges::sort(stand.ranks);
    const auto known = std::ranges::unique(stand.ranks);
    stand.ranks.erase(known.begin(), known.end());
    problem.stands.push_back(
        excerpt(fmt::format("{} · {}:{}", ranks_named(stand.ranks), at.first, at.second), at.first,
                at.second));
    problem.stands.back().event = static_cast<std::int64_t>(stand.event);
  }
  if (!group->by_order) return;
  const BlockedVerb& first = group->roots.front();
  const BlockedVerb& next = group->roots[group->roots.size() > 1 ? 1 : 0];
  if (next.next_line == 0) return;
  problem.frees_title =
      fmt::format("The {} that would free rank {}", first.send ? "receive" : "send", first.rank);
  problem.frees.push_back(
      excerpt(fmt::format("rank {} never reaches it · {}:{}", next.rank, next.file, next.next_line),
              next.file, next.next_line));
}

}  // namespace rankscope::gui
