// The switches of a network that reduce passing messages, as a tree above the ranks: the path of an in-network
// reduction.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// Each place except the root's has a link to its parent. Rank r is place r, switch s is place `ranks` + s. A switch
/// has no process: the rank `played_by` executes its part of the program, while its messages go to and from the switch
/// itself.
struct ReducingTree {
  struct Switch {
    std::string name;
    int node = 0;  ///< Its node in the topology.
    Rank played_by = 0;
  };
  int ranks = 0;
  std::vector<Switch> switches;
  std::vector<int> parent;  ///< By place; -1 for the root.
  int levels = 0;           ///< The number of links from the farthest rank to the root.

  int places() const noexcept { return static_cast<int>(parent.size()); }
  bool is_switch(int place) const noexcept { return place >= ranks; }
  const Switch& switch_at(int place) const {
    return switches.at(static_cast<std::size_t>(place - ranks));
  }
  Rank player(int place) const { return is_switch(place) ? switch_at(place).played_by : place; }
  int parent_of(int place) const { return parent.at(static_cast<std::size_t>(place)); }

  /// The tag encodes a message's link and direction.
  static Tag up(int child) noexcept { return 1 + 2 * child; }
  static Tag down(int child) noexcept { return 2 + 2 * child; }
  struct Way {
    int child = 0;
    bool is_down = false;
  };
  /// Returns nothing if the message does not belong to the tree.
  std::optional<Way> way_of(Tag tag) const noexcept {
    const int child = (tag - 1) / 2;
    if (tag < 1 || child >= places() || parent[static_cast<std::size_t>(child)] < 0)
      return std::nullopt;
    return Way{child, tag % 2 == 0};
  }
  /// Returns the places at the two ends of a link.
  std::pair<int, int> ends_of(Way way) const {
    const int above = parent_of(way.child);
    return way.is_down ? std::pair(above, way.child) : std::pair(way.child, above);
  }
};

}  // namespace rankscope
