// Divides the ranks that are blocked into groups, and finds the shortest circle in each.
#include "engine/analysis/matching/wait_graph.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "engine/core/base/ranges.h"

namespace rankscope::matching {

WaitGraph::WaitGraph(const Situation& situation) : known_(situation) {
  for (std::uint32_t verb = 0; verb < known_.verbs.size(); ++verb)
    if (known_.verbs[verb].open) open_[known_.verbs[verb].rank].push_back(verb);
  join_groups();
  for (Group& group : groups_) find_cycle(group);
}

bool WaitGraph::has_ended(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return rank < 0 || index >= known_.ended.size() || known_.ended[index];
}

/// Ranks that have not ended. `wild`: a receive from anybody waits for all of them.
std::vector<Rank> WaitGraph::peers_of(std::uint32_t verb, bool wild) const {
  const PostedVerb& one = known_.verbs[verb];
  std::vector<Rank> peers;
  if (one.peer >= 0) {
    if (!has_ended(one.peer)) peers.push_back(one.peer);
  } else if (wild) {
    for (Rank rank = 0; static_cast<std::size_t>(rank) < known_.ended.size(); ++rank)
      if (rank != one.rank && !has_ended(rank)) peers.push_back(rank);
  }
  return peers;
}

void WaitGraph::join_groups() {
  std::vector<std::size_t> group_of(known_.ended.size());
  std::iota(group_of.begin(), group_of.end(), std::size_t{0});
  for (const auto& [rank, verbs] : open_)
    for (const std::uint32_t verb : verbs)
      for (const Rank peer : peers_of(verb, true)) {
        const auto from = group_of[static_cast<std::size_t>(std::max(rank, peer))];
        const auto to = group_of[static_cast<std::size_t>(std::min(rank, peer))];
        ranges::replace(group_of, std::max(from, to), std::min(from, to));
      }
  std::map<std::size_t, Group> groups;
  for (const auto& [rank, verbs] : open_) {
    if (has_ended(rank)) continue;
    Group& group = groups[group_of[static_cast<std::size_t>(rank)]];
    group.ranks.push_back(rank);
    group.open.insert(group.open.end(), verbs.begin(), verbs.end());
  }
  for (auto& [number, group] : groups) {
    ranges::sort(group.open);
    groups_.push_back(std::move(group));
  }
}

// By verbs, so that each step of the circle knows its line. Breadth first: the shortest.
std::vector<std::uint32_t> WaitGraph::cycle_through(Rank start, bool wild) const {
  std::map<Rank, std::uint32_t> reached;  // by which verb
  std::deque<Rank> next{start};
  while (!next.empty()) {
    const auto waits = open_.find(next.front());
    next.pop_front();
    if (waits == open_.end()) continue;
    for (const std::uint32_t verb : waits->second)
      for (const Rank peer : peers_of(verb, wild)) {
        if (peer == start) {
          std::vector<std::uint32_t> cycle{verb};
          while (known_.verbs[cycle.back()].rank != start)
            cycle.push_back(reached.at(known_.verbs[cycle.back()].rank));
          ranges::reverse(cycle);
          return cycle;
        }
        if (reached.try_emplace(peer, verb).second) next.push_back(peer);
      }
  }
  return {};
}

void WaitGraph::find_cycle(Group& group) const {
  for (const bool wild : {false, true}) {
    for (const Rank rank : group.ranks) {
      auto cycle = cycle_through(rank, wild);
      if (!cycle.empty() && (group.cycle.empty() || cycle.size() < group.cycle.size()))
        group.cycle = std::move(cycle);
      if (group.cycle.size() == 1 || group.cycle.size() == 2) return;
    }
    if (!group.cycle.empty()) return;
  }
  for (const std::uint32_t verb : group.open)
    if (peers_of(verb, true).empty()) group.dead_ends.push_back(verb);
}

}  // namespace rankscope::matching
