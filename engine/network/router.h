// Finds the links that a message takes from one rank to another.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

/// A link in one direction.
struct Hop {
  int link = 0;
  bool back = false;  ///< From its b to its a.
  bool operator==(const Hop&) const = default;
};

/// Finds the routes of a topology without faults: the given route, else the one by the topology's rule, else, or if a
/// link of that one is broken, the shortest route over the links that are left.
class Router {
 public:
  /// `topology` must outlive it.
  explicit Router(const Topology& topology);

  /// Finds a route; it is empty from a rank to itself. Returns false if there is none.
  bool find(Rank from, Rank to, std::vector<Hop>& route) const;
  void break_link(int link);
  bool is_broken(int link) const { return broken_[static_cast<std::size_t>(link)]; }

 private:
  struct Tree;
  bool by_rule(Rank from, Rank to, std::vector<Hop>& route) const;
  void take_given(const std::vector<int>& nodes, bool reversed, std::vector<Hop>& route) const;
  bool are_linked(int from, int to) const;
  void by_dimensions(Rank from, Rank to, std::vector<Hop>& route) const;
  void up_down(int from, int to, std::vector<Hop>& route) const;
  bool by_tree(int from, int to, std::vector<Hop>& route) const;
  const std::vector<std::int32_t>& tree(int from) const;
  Hop between(int from, int to) const;
  int node_of(Rank rank) const { return topology_.rank_nodes[static_cast<std::size_t>(rank)]; }

  const Topology& topology_;
  Adjacency near_;
  std::vector<bool> broken_;
  bool any_broken_ = false;
  std::map<std::pair<int, int>, std::pair<int, bool>>
      given_;  ///< Route and whether it is reversed.
  /// By source node, as far as asked for: by node, 2 * link + back of the last hop to it; -1 if it is not reached.
  mutable std::unordered_map<int, std::vector<std::int32_t>> trees_;
};

struct RouteCost {
  double latency = 0;  ///< Seconds.
  double bandwidth =
      0;  ///< Bytes per second of the narrowest link; infinity for a rank and itself.
};
RouteCost cost_of(const Topology& topology, const std::vector<Hop>& route);

}  // namespace rankscope
