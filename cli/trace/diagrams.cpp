// Reads the names and option values of diagrams, as typed.
#include "cli/trace/diagrams.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/sizes.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& kind : diagrams()) list.emplace_back(kind.name);
  return list;
}

}  // namespace

const DiagramKind& diagram_named(const std::string& name) {
  if (const auto* kind = find_diagram(name)) return *kind;
  throw UserError(fmt::format("--diagram: there is no diagram '{}'; there are: {}{}", name,
                              fmt::join(names(), ", "), nearest_hint(name, names())));
}

void check_takes(const DiagramKind& kind, std::string_view option) {
  if (kind.takes(option)) return;
  std::vector<std::string_view> others;
  for (const auto& other : diagrams())
    if (other.takes(option)) others.push_back(other.name);
  throw UserError(fmt::format("--{} does not apply to the diagram '{}': it is for {}", option,
                              kind.name, fmt::join(others, ", ")));
}

std::string diagram_names() { return fmt::format("{}", fmt::join(names(), "|")); }

std::vector<Rank> parse_ranks(std::string_view text, int world_size) {
  std::vector<Rank> ranks;
  if (world_size == 0) throw UserError("the trace is empty: it has no ranks to choose from");
  for (const auto part : split_at(text, ",")) {
    const auto dash = part.find('-', 1);
    const auto first = parse_integer(part.substr(0, dash), "--ranks", 0, world_size - 1);
    const auto last = dash == std::string_view::npos
                          ? first
                          : parse_integer(part.substr(dash + 1), "--ranks", 0, world_size - 1);
    if (last < first)
      throw UserError(fmt::format("--ranks: the range '{}' ends before it starts", part));
    for (auto rank = first; rank <= last; ++rank) {
      if (ranges::find(ranks, static_cast<Rank>(rank)) != ranks.end())
        throw UserError(fmt::format("--ranks: rank {} is named twice", rank));
      ranks.push_back(static_cast<Rank>(rank));
    }
  }
  return ranks;
}

std::pair<int, int> parse_steps(std::string_view text, int count) {
  if (count < 1) throw UserError("--steps: this run has no messages, so it has no steps");
  const auto number = [&](std::string_view part) {
    return static_cast<int>(parse_integer(part, "--steps", 1, count));
  };
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {number(text), number(text)};
  const auto first = text.substr(0, colon), last = text.substr(colon + 1);
  if (first.empty() && last.empty())
    throw UserError(
        fmt::format("--steps: ':' names no step: write one of 1:{}, or a range", count));
  const std::pair range{first.empty() ? 1 : number(first), last.empty() ? 0 : number(last)};
  if (range.second != 0 && range.second < range.first)
    throw UserError(
        fmt::format("--steps: the range '{}' ends before it starts; there are 1:{}", text, count));
  return range;
}

}  // namespace rankscope::cli
