// Names the parts of a topology, lists its links by node, and finds its faults.
#include "engine/network/topology.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

std::string_view to_string(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::rank: return "rank";
    case NodeKind::network_switch: return "switch";
    case NodeKind::nic: return "nic";
    case NodeKind::pcie_switch: return "pcie-switch";
    case NodeKind::socket: break;
  }
  return "socket";
}

std::string_view to_string(Duplex duplex) noexcept {
  return duplex == Duplex::full ? "full" : "half";
}

std::string_view to_string(Routing routing) noexcept {
  switch (routing) {
    case Routing::shortest: return "shortest";
    case Routing::minimal: return "minimal";
    case Routing::dimension_order: return "dimension-order";
    case Routing::up_down: break;
  }
  return "up-down";
}

std::string Topology::link_name(int link) const {
  const TopologyLink& one = links.at(static_cast<std::size_t>(link));
  return fmt::format("{} - {}", name_of(one.a), name_of(one.b));
}

int Topology::add_node(TopologyNode node) {
  const int index = static_cast<int>(nodes.size());
  if (node.kind == NodeKind::rank) rank_nodes.push_back(index);
  nodes.push_back(std::move(node));
  return index;
}

int Topology::add_link(TopologyLink link) {
  links.push_back(std::move(link));
  return static_cast<int>(links.size()) - 1;
}

Adjacency::Adjacency(const Topology& topology) : begin_(topology.nodes.size() + 1) {
  for (const TopologyLink& link : topology.links)
    for (const int end : {link.a, link.b}) ++begin_[static_cast<std::size_t>(end) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  edges_.resize(2 * topology.links.size());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (int i = 0; i < static_cast<int>(topology.links.size()); ++i) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(i)];
    edges_[next[static_cast<std::size_t>(link.a)]++] = {i, link.b, false};
    edges_[next[static_cast<std::size_t>(link.b)]++] = {i, link.a, true};
  }
}

namespace {

using Fault = TopologyFault;

Fault find_size_fault(const Topology& topology) {
  if (topology.uniform_ranks > 0) {
    if (!topology.nodes.empty() || !topology.links.empty())
      return {.text = "a uniform network has no nodes and links of its own"};
    if (topology.uniform_ranks > kMostRanks)
      return {.text = fmt::format("a uniform network has at most {} ranks", kMostRanks)};
    return {};
  }
  if (topology.nodes.size() > kMostNodes)
    return {.text = fmt::format("{} nodes are too many: at most {}", topology.nodes.size(),
                                kMostNodes)};
  if (topology.links.size() > kMostLinks)
    return {.text = fmt::format("{} links are too many: at most {}", topology.links.size(),
                                kMostLinks)};
  if (topology.rank_nodes.empty())
    return {.text = "there is no rank: give one of the nodes the kind \"rank\""};
  return {};
}

/// Names must be unique, because files and people refer to nodes by name.
Fault name_fault(const Topology& topology) {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const std::string& name = topology.nodes[i].name;
    if (name.empty()) return {Fault::Of::node, static_cast<int>(i), "it has no name"};
    if (!names.insert(name).second)
      return {Fault::Of::node, static_cast<int>(i),
              fmt::format("there is another node '{}': names differ", name)};
  }
  return {};
}

std::string link_fault(const Topology& topology, const TopologyLink& link) {
  const int nodes = static_cast<int>(topology.nodes.size());
  for (const int end : {link.a, link.b})
    if (end < 0 || end >= nodes) return "it leads to a node that is not there";
  if (link.a == link.b)
    return fmt::format("it leads from '{}' to itself: name two nodes", topology.name_of(link.a));
  for (const double rate : {link.bandwidth, link.back})
    if (!(rate > 0) || !std::isfinite(rate))
      return fmt::format("its bandwidth must be above 0, not {} bytes per second", rate);
  if (link.duplex == Duplex::half && link.bandwidth != link.back)
    return "the directions of a half-duplex link share one bandwidth: give one";
  constexpr double kLongest = 1000;
  if (!(link.latency >= 0) || link.latency > kLongest)
    return fmt::format("its latency is 0 to {} seconds, not {}", kLongest, link.latency);
  return {};
}

std::string route_fault(const Topology& topology, const Adjacency& near, const GivenRoute& route) {
  const auto is_rank = [&](int node) {
    return topology.nodes[static_cast<std::size_t>(node)].kind == NodeKind::rank;
  };
  for (const int node : route.nodes)
    if (node < 0 || node >= static_cast<int>(topology.nodes.size()))
      return "it passes a node that is not there";
  if (route.nodes.size() < 2 || !is_rank(route.nodes.front()) || !is_rank(route.nodes.back()))
    return "a route leads from a rank to another one";
  std::vector<int> sorted = route.nodes;
  ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return "it passes a node twice";
  for (std::size_t i = 1; i < route.nodes.size(); ++i) {
    const int from = route.nodes[i - 1], to = route.nodes[i];
    bool linked = false;
    for (const auto& edge : near.of(from)) linked = linked || edge.to == to;
    if (!linked)
      return fmt::format("there is no link between '{}' and '{}': add one, or route around it",
                         topology.name_of(from), topology.name_of(to));
  }
  return {};
}

/// Returns, by node, its component among the nodes that forward; -1 for a node that does not.
std::vector<int> forwarding_parts(const Topology& topology, const Adjacency& near) {
  std::vector<int> part(topology.nodes.size(), -1), stack;
  int parts = 0;
  for (int start = 0; start < static_cast<int>(part.size()); ++start) {
    if (!topology.nodes[static_cast<std::size_t>(start)].forwards ||
        part[static_cast<std::size_t>(start)] >= 0)
      continue;
    stack.assign(1, start);
    part[static_cast<std::size_t>(start)] = parts;
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      for (const auto& edge : near.of(node)) {
        const auto to = static_cast<std::size_t>(edge.to);
        if (!topology.nodes[to].forwards || part[to] >= 0) continue;
        part[to] = parts;
        stack.push_back(edge.to);
      }
    }
    ++parts;
  }
  return part;
}

/// Finds the first rank that a rank does not reach; -1 if it reaches all.
class Reach {
 public:
  explicit Reach(const Topology& topology)
      : topology_(topology), near_(topology), part_(forwarding_parts(topology, near_)) {}

  Rank first_unreached(Rank from) {
    const int node = topology_.rank_nodes[static_cast<std::size_t>(from)];
    seen_.assign(topology_.nodes.size(), false);
    parts_.clear();
    touch(node);
    for (const auto& edge : near_.of(node)) {
      seen_[static_cast<std::size_t>(edge.to)] = true;
      touch(edge.to);
    }
    for (Rank to = 0; to < topology_.ranks(); ++to)
      if (to != from && !reached(topology_.rank_nodes[static_cast<std::size_t>(to)])) return to;
    return -1;
  }

 private:
  void touch(int node) {
    const int part = part_[static_cast<std::size_t>(node)];
    if (part >= 0 && !in(part)) parts_.push_back(part);
  }
  bool in(int part) const { return ranges::find(parts_, part) != parts_.end(); }
  bool reached(int node) const {
    const int own = part_[static_cast<std::size_t>(node)];
    if (seen_[static_cast<std::size_t>(node)] || (own >= 0 && in(own))) return true;
    for (const auto& edge : near_.of(node)) {
      const int part = part_[static_cast<std::size_t>(edge.to)];
      if (part >= 0 && in(part)) return true;
    }
    return false;
  }

  const Topology& topology_;
  Adjacency near_;
  std::vector<int> part_;
  std::vector<bool> seen_;
  std::vector<int> parts_;
};

/// If all ranks forward, it is enough to check rank 0, because links go both ways.
Fault reach_fault(const Topology& topology) {
  Reach reach(topology);
  const auto node_of = [&](Rank rank) {
    return topology.rank_nodes[static_cast<std::size_t>(rank)];
  };
  bool all_forward = true;
  for (const int node : topology.rank_nodes)
    all_forward = all_forward && topology.nodes[static_cast<std::size_t>(node)].forwards;
  const int last = all_forward ? 1 : topology.ranks();
  for (Rank from = 0; from < last; ++from)
    if (const Rank to = reach.first_unreached(from); to >= 0)
      return {
          Fault::Of::node, node_of(to),
          fmt::format("rank {} ('{}') cannot reach rank {} ('{}'): link them, or what lies "
                      "between them; ranks carry what is for others only with ranks_forward = true",
                      from, topology.name_of(node_of(from)), to, topology.name_of(node_of(to)))};
  return {};
}

std::string dimensions_fault(const Topology& topology) {
  if (topology.routing != Routing::dimension_order) return {};
  std::int64_t product = topology.dimensions.empty() ? 0 : 1;
  for (const int size : topology.dimensions) product *= size;
  return product == topology.ranks()
             ? ""
             : "dimension-order routing needs `dimensions` whose product is the number of ranks";
}

}  // namespace

TopologyFault find_fault(const Topology& topology) {
  if (Fault fault = find_size_fault(topology)) return fault;
  if (topology.uniform_ranks > 0) return {};
  if (Fault fault = name_fault(topology)) return fault;
  for (std::size_t i = 0; i < topology.links.size(); ++i)
    if (std::string text = link_fault(topology, topology.links[i]); !text.empty())
      return {Fault::Of::link, static_cast<int>(i), std::move(text)};
  const Adjacency near(topology);
  for (std::size_t i = 0; i < topology.routes.size(); ++i)
    if (std::string text = route_fault(topology, near, topology.routes[i]); !text.empty())
      return {Fault::Of::route, static_cast<int>(i), std::move(text)};
  if (std::string text = dimensions_fault(topology); !text.empty())
    return {.text = std::move(text)};
  return reach_fault(topology);
}

void check_topology(const Topology& topology) {
  const TopologyFault fault = find_fault(topology);
  if (!fault) return;
  if (fault.of != Fault::Of::link) throw UserError(fault.text);
  const TopologyLink& link = topology.links[static_cast<std::size_t>(fault.at)];
  const auto name = [&](int node) {
    return node >= 0 && node < static_cast<int>(topology.nodes.size()) ? topology.name_of(node)
                                                                       : fmt::format("{}", node);
  };
  throw UserError(fmt::format("the link {} - {}: {}", name(link.a), name(link.b), fault.text));
}

}  // namespace rankscope
