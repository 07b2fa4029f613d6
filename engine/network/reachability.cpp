// Names the ranks of a topology that do not reach each other.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/network/router.h"
#include "engine/network/topology_editor.h"

namespace rankscope {
namespace {

constexpr int kMostRanksTried = 256;
constexpr std::size_t kMostNamed = 4;

/// Links go both ways, and so do routes.
std::vector<std::pair<Rank, Rank>> all_unreachable_pairs(const Topology& topology) {
  std::vector<std::pair<Rank, Rank>> out;
  if (topology.uniform_ranks > 0 || topology.ranks() > kMostRanksTried) return out;
  const Router router(topology);
  std::vector<Hop> route;
  for (Rank a = 0; a < topology.ranks(); ++a)
    for (Rank b = a + 1; b < topology.ranks(); ++b)
      if (!router.find(a, b, route)) out.emplace_back(a, b);
  return out;
}

/// Those that reach nobody.
std::vector<Rank> lonely_ranks(const Topology& topology,
                               const std::vector<std::pair<Rank, Rank>>& pairs) {
  std::vector<int> missing(static_cast<std::size_t>(topology.ranks()), 0);
  for (const auto& [a, b] : pairs)
    ++missing[static_cast<std::size_t>(a)], ++missing[static_cast<std::size_t>(b)];
  std::vector<Rank> out;
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    if (missing[static_cast<std::size_t>(rank)] == topology.ranks() - 1) out.push_back(rank);
  return out;
}

}  // namespace

std::vector<std::pair<Rank, Rank>> unreachable_pairs(const Topology& topology, std::size_t most) {
  auto pairs = all_unreachable_pairs(topology);
  if (pairs.size() > most) pairs.resize(most);
  return pairs;
}

std::string unreachable_text(const Topology& topology) {
  const TopologyFault fault = find_fault(topology);
  if (!fault || fault.of != TopologyFault::Of::node) return {};
  const auto pairs = all_unreachable_pairs(topology);
  if (pairs.empty()) return fault.text;
  const std::vector<Rank> lonely = lonely_ranks(topology, pairs);
  const auto covered = [&](const std::pair<Rank, Rank>& pair) {
    return ranges::find(lonely, pair.first) != lonely.end() ||
           ranges::find(lonely, pair.second) != lonely.end();
  };
  std::vector<std::string> parts;
  if (static_cast<int>(lonely.size()) == topology.ranks()) return "no rank reaches another one";
  if (lonely.size() == 1) parts.push_back(fmt::format("rank {} reaches no other rank", lonely[0]));
  else if (!lonely.empty())
    parts.push_back(fmt::format("ranks {} reach no other rank", fmt::join(lonely, ", ")));
  std::vector<std::string> named;
  std::size_t others = 0;
  for (const auto& pair : pairs) {
    if (covered(pair)) continue;
    if (named.size() < kMostNamed)
      named.push_back(fmt::format("{} and {}", pair.first, pair.second));
    else ++others;
  }
  if (!named.empty())
    parts.push_back(fmt::format("ranks {}{} do not reach each other", fmt::join(named, ", "),
                                others == 0   ? ""
                                : others == 1 ? " and 1 other pair"
                                              : fmt::format(" and {} other pairs", others)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace rankscope
