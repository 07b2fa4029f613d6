// Finds routes by rule, and by shortest paths where there is none.
#include "engine/network/router.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// Whole femtoseconds: sums do not depend on their order.
std::int64_t femtoseconds(double seconds) { return std::llround(seconds * 1e15); }

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

}  // namespace

Router::Router(const Topology& topology)
    : topology_(topology), near_(topology), broken_(topology.links.size()) {
  for (int i = 0; i < static_cast<int>(topology.routes.size()); ++i) {
    const auto& nodes = topology.routes[static_cast<std::size_t>(i)].nodes;
    given_.try_emplace({nodes.front(), nodes.back()}, i, false);
  }
  for (int i = 0; i < static_cast<int>(topology.routes.size()); ++i) {
    const auto& nodes = topology.routes[static_cast<std::size_t>(i)].nodes;
    given_.try_emplace({nodes.back(), nodes.front()}, i, true);
  }
}

void Router::break_link(int link) {
  broken_[static_cast<std::size_t>(link)] = true;
  any_broken_ = true;
  trees_.clear();
}

bool Router::find(Rank from, Rank to, std::vector<Hop>& route) const {
  route.clear();
  if (from == to) return true;
  if (by_rule(from, to, route) &&
      (!any_broken_ || ranges::none_of(route, [&](const Hop& hop) { return is_broken(hop.link); })))
    return true;
  route.clear();
  return by_tree(node_of(from), node_of(to), route);
}

bool Router::by_rule(Rank from, Rank to, std::vector<Hop>& route) const {
  const int start = node_of(from), end = node_of(to);
  if (const auto given = given_.find({start, end}); given != given_.end()) {
    const auto [index, reversed] = given->second;
    take_given(topology_.routes[static_cast<std::size_t>(index)].nodes, reversed, route);
    return true;
  }
  if (topology_.routing == Routing::dimension_order) by_dimensions(from, to, route);
  else if (topology_.routing == Routing::up_down) up_down(start, end, route);
  return !route.empty();
}

void Router::take_given(const std::vector<int>& nodes, bool reversed,
                        std::vector<Hop>& route) const {
  for (std::size_t i = 1; i < nodes.size(); ++i) route.push_back(between(nodes[i - 1], nodes[i]));
  if (!reversed) return;
  ranges::reverse(route);
  for (Hop& hop : route) hop.back = !hop.back;
}

/// Returns the widest unbroken link between neighbours; link -1 if there is none.
Hop Router::between(int from, int to) const {
  Hop best{-1, false};
  double widest = 0;
  for (const auto& edge : near_.of(from)) {
    if (edge.to != to || is_broken(edge.link)) continue;
    const TopologyLink& link = topology_.links[static_cast<std::size_t>(edge.link)];
    const double rate = edge.back ? link.back : link.bandwidth;
    if (rate > widest) best = {edge.link, edge.back}, widest = rate;
  }
  return best;
}

/// Returns whether there is a link, broken or not.
bool Router::are_linked(int from, int to) const {
  return ranges::any_of(near_.of(from), [&](const auto& edge) { return edge.to == to; });
}

void Router::by_dimensions(Rank from, Rank to, std::vector<Hop>& route) const {
  int stride = topology_.ranks();
  Rank at = from;
  for (const int size : topology_.dimensions) {
    stride /= size;
    const int here = at / stride % size, there = to / stride % size;
    const int ahead = (there - here + size) % size;
    // A mesh has no link from the last to the first.
    const Rank first = at - here * stride;
    const bool closed = are_linked(node_of(first), node_of(first + (size - 1) * stride));
    const bool forwards = size > 2 && !closed ? there >= here : 2 * ahead <= size;
    for (int steps = forwards ? ahead : size - ahead; steps > 0; --steps) {
      const int now = at / stride % size;
      const Rank next = at + ((now + (forwards ? 1 : size - 1)) % size - now) * stride;
      const Hop hop = between(node_of(at), node_of(next));
      if (hop.link < 0) return route.clear();
      route.push_back(hop);
      at = next;
    }
  }
}

/// D-Mod-k: on each level, the destination's number selects the link up, so that routes to one destination meet early,
/// and routes to different ones spread (Zahavi: Fat-tree routing and node ordering providing contention free traffic
/// for MPI global collectives, 2012).
void Router::up_down(int from, int to, std::vector<Hop>& route) const {
  const auto level = [&](int node) {
    return topology_.nodes[static_cast<std::size_t>(node)].level;
  };
  // The nodes above the destination, from below.
  std::unordered_map<int, int> below{
      {to, -1}};  // node -> 2 * link + direction of its first hop down
  std::vector<int> order{to};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const auto& edge : near_.of(order[i]))
      if (level(edge.to) > level(order[i]) && !is_broken(edge.link) &&
          below.try_emplace(edge.to, 2 * edge.link + (edge.back ? 0 : 1)).second)
        order.push_back(edge.to);
  const auto ranks = ranges::find(topology_.rank_nodes, to) - topology_.rank_nodes.begin();
  auto digits = static_cast<std::size_t>(ranks);
  int at = from;
  std::vector<Adjacency::Edge> up;
  while (!below.contains(at)) {
    up.clear();
    for (const auto& edge : near_.of(at))
      if (level(edge.to) > level(at) && !is_broken(edge.link)) up.push_back(edge);
    if (up.empty()) return route.clear();
    const auto& edge = up[digits % up.size()];
    digits /= up.size();
    route.push_back({edge.link, edge.back});
    at = edge.to;
  }
  while (at != to) {
    const int way = below.at(at);
    const Hop hop{way / 2, way % 2 != 0};
    route.push_back(hop);
    const TopologyLink& link = topology_.links[static_cast<std::size_t>(hop.link)];
    at = hop.back ? link.a : link.b;
  }
}

bool Router::by_tree(int from, int to, std::vector<Hop>& route) const {
  const std::vector<std::int32_t>& ways = tree(from);
  for (int at = to; at != from;) {
    const std::int32_t way = ways[static_cast<std::size_t>(at)];
    if (way < 0) return route.clear(), false;
    const Hop hop{way / 2, way % 2 != 0};
    route.push_back(hop);
    const TopologyLink& link = topology_.links[static_cast<std::size_t>(hop.link)];
    at = hop.back ? link.b : link.a;
  }
  ranges::reverse(route);
  return true;
}

/// Dijkstra (1959) with two costs. Of equally cheap ways to a node, the widest is taken. All of these are known when
/// the node is taken, since no link is free.
const std::vector<std::int32_t>& Router::tree(int from) const {
  constexpr std::size_t kMostKept = std::size_t{1} << 26;
  if (const auto kept = trees_.find(from); kept != trees_.end()) return kept->second;
  if ((trees_.size() + 1) * topology_.nodes.size() > kMostKept) trees_.clear();

  using Cost = std::pair<std::int64_t, std::int64_t>;
  struct Way {
    Cost cost{kFar, kFar};
    double width = 0;
    std::int32_t last = -1;
    bool is_better_than(const Way& other) const {
      return std::tuple(cost, -width, last) < std::tuple(other.cost, -other.width, other.last);
    }
  };
  std::vector<Way> best(topology_.nodes.size());
  using Entry = std::pair<Cost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  best[static_cast<std::size_t>(from)] = {{0, 0}, std::numeric_limits<double>::infinity(), -1};
  queue.push({{0, 0}, from});
  const bool links_first = topology_.routing == Routing::minimal;
  while (!queue.empty()) {
    const auto [cost, node] = queue.top();
    queue.pop();
    const Way here = best[static_cast<std::size_t>(node)];
    if (cost != here.cost) continue;
    if (node != from && !topology_.nodes[static_cast<std::size_t>(node)].forwards) continue;
    for (const auto& edge : near_.of(node)) {
      if (is_broken(edge.link)) continue;
      const TopologyLink& link = topology_.links[static_cast<std::size_t>(edge.link)];
      const std::int64_t takes = femtoseconds(link.latency);
      const Way way{links_first ? Cost{cost.first + 1, cost.second + takes}
                                : Cost{cost.first + takes, cost.second + 1},
                    std::min(here.width, edge.back ? link.back : link.bandwidth),
                    2 * edge.link + (edge.back ? 1 : 0)};
      Way& known = best[static_cast<std::size_t>(edge.to)];
      if (way.cost < known.cost) queue.push({way.cost, edge.to});
      if (way.is_better_than(known)) known = way;
    }
  }
  std::vector<std::int32_t> ways;
  for (const Way& way : best) ways.push_back(way.last);
  return trees_.emplace(from, std::move(ways)).first->second;
}

RouteCost cost_of(const Topology& topology, const std::vector<Hop>& route) {
  RouteCost out{0, std::numeric_limits<double>::infinity()};
  for (const Hop& hop : route) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(hop.link)];
    out.latency += link.latency;
    out.bandwidth = std::min(out.bandwidth, hop.back ? link.back : link.bandwidth);
  }
  return out;
}

}  // namespace rankscope
