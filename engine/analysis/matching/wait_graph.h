// Which ranks wait for which: groups that have nothing to do with each other, and the circle in each.
#pragma once

#include <map>
#include <vector>

#include "engine/analysis/matching/diagnosis.h"

namespace rankscope::matching {

class WaitGraph {
 public:
  /// Ranks that wait for each other, in a circle or in chains.
  struct Group {
    std::vector<Rank> ranks;               ///< Ascending; none of them has ended.
    std::vector<std::uint32_t> open;       ///< Their open verbs, ascending.
    std::vector<std::uint32_t> cycle;      ///< The shortest; empty: there is none.
    std::vector<std::uint32_t> dead_ends;  ///< That wait for a rank that has ended, or for anybody.
  };
  explicit WaitGraph(const Situation& situation);
  const std::vector<Group>& groups() const noexcept { return groups_; }

 private:
  bool has_ended(Rank rank) const;
  void join_groups();
  void find_cycle(Group& group) const;
  std::vector<std::uint32_t> cycle_through(Rank start, bool wild) const;
  std::vector<Rank> peers_of(std::uint32_t verb, bool wild) const;

  const Situation& known_;
  std::map<Rank, std::vector<std::uint32_t>> open_;  ///< By rank.
  std::vector<Group> groups_;
};

}  // namespace rankscope::matching
