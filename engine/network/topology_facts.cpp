// Computes flows between halves, and distances.
#include "engine/network/topology_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr int kMostForAllHalves = 16;    // ranks: 6,435 pairs of halves
constexpr int kMostForFlow = 20'000;     // nodes
constexpr int kMostForDistances = 5000;  // ranks

/// Computes maximum flows, in whole bytes per second, for one half after another on the same links.
class FlowNetwork {
 public:
  explicit FlowNetwork(const Topology& topology)
      : topology_(topology), arcs_(topology.nodes.size() + 2) {
    for (const TopologyLink& link : topology.links) {
      add_pair(link.a, link.b, std::llround(link.bandwidth), std::llround(link.back));
    }
    for (const int node : topology.rank_nodes) {
      add_pair(source(), node, 0, 0);
      add_pair(node, sink(), 0, 0);
    }
  }

  double flow_out_of(const std::vector<bool>& inside) {
    reset(inside);
    std::int64_t sum = 0;
    while (find_levels()) {
      next_.assign(arcs_.size(), 0);
      while (const std::int64_t sent = push(source(), kMuch)) sum += sent;
    }
    return static_cast<double>(sum);
  }

 private:
  static constexpr std::int64_t kMuch = std::numeric_limits<std::int64_t>::max() / 4;
  struct Edge {
    int to;
    std::int64_t capacity, left;
  };

  int source() const { return static_cast<int>(arcs_.size()) - 2; }
  int sink() const { return static_cast<int>(arcs_.size()) - 1; }

  /// Arcs 2i and 2i + 1 are each other's way back.
  void add_pair(int from, int to, std::int64_t there, std::int64_t back) {
    arcs_[static_cast<std::size_t>(from)].push_back(static_cast<int>(edges_.size()));
    edges_.push_back({to, there, 0});
    arcs_[static_cast<std::size_t>(to)].push_back(static_cast<int>(edges_.size()));
    edges_.push_back({from, back, 0});
  }

  void reset(const std::vector<bool>& inside) {
    for (Edge& edge : edges_) edge.left = edge.capacity;
    std::size_t at = 2 * topology_.links.size();
    for (std::size_t rank = 0; rank < topology_.rank_nodes.size(); ++rank, at += 4)
      edges_[at + (inside[rank] ? 0 : 2)].left = kMuch;
  }

  bool find_levels() {
    level_.assign(arcs_.size(), -1);
    level_[static_cast<std::size_t>(source())] = 0;
    queue_.assign(1, source());
    for (std::size_t i = 0; i < queue_.size(); ++i)
      for (const int arc : arcs_[static_cast<std::size_t>(queue_[i])]) {
        const Edge& edge = edges_[static_cast<std::size_t>(arc)];
        if (edge.left == 0 || level_[static_cast<std::size_t>(edge.to)] >= 0) continue;
        level_[static_cast<std::size_t>(edge.to)] = level_[static_cast<std::size_t>(queue_[i])] + 1;
        queue_.push_back(edge.to);
      }
    return level_[static_cast<std::size_t>(sink())] >= 0;
  }

  /// Pushes flow along one path to the sink. The recursion is as deep as the levels.
  std::int64_t push(int node, std::int64_t most) {
    if (node == sink()) return most;
    const auto here = static_cast<std::size_t>(node);
    for (std::size_t& i = next_[here]; i < arcs_[here].size(); ++i) {
      const auto arc = static_cast<std::size_t>(arcs_[here][i]);
      Edge& edge = edges_[arc];
      if (edge.left == 0 || level_[static_cast<std::size_t>(edge.to)] != level_[here] + 1) continue;
      const std::int64_t sent = push(edge.to, std::min(most, edge.left));
      if (sent == 0) continue;
      edge.left -= sent;
      edges_[arc ^ 1].left += sent;
      return sent;
    }
    return 0;
  }

  const Topology& topology_;
  std::vector<std::vector<int>> arcs_;
  std::vector<Edge> edges_;
  std::vector<int> level_, queue_;
  std::vector<std::size_t> next_;
};

/// Returns the next larger number with as many one bits (Gosper's hack).
std::uint32_t next_with_as_many(std::uint32_t bits) {
  const std::uint32_t lowest = bits & -bits, ripple = bits + lowest;
  return (((ripple ^ bits) >> 2) / lowest) | ripple;
}

double least_of_all_halves(FlowNetwork& flow, int ranks) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> inside(static_cast<std::size_t>(ranks));
  // With an even number, those that have the last rank are the others' complements.
  const std::uint32_t end = 1U << (ranks % 2 == 0 ? ranks - 1 : ranks);
  for (std::uint32_t half = (1U << (ranks / 2)) - 1; half < end; half = next_with_as_many(half)) {
    for (std::size_t r = 0; r < inside.size(); ++r) inside[r] = (half >> r & 1) != 0;
    least = std::min(least, flow.flow_out_of(inside));
    inside.flip();  // the other direction
    least = std::min(least, flow.flow_out_of(inside));
  }
  return least;
}

/// Returns halves by the ranks' numbers, by their places in the picture, and by each dimension of a torus.
std::vector<std::vector<bool>> near_halves(const Topology& topology) {
  const auto ranks = static_cast<std::size_t>(topology.ranks());
  std::vector<std::vector<bool>> out;
  const auto add = [&](const auto& key) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t r = 0; r < ranks; ++r) order.emplace_back(key(r), r);
    ranges::sort(order);
    out.emplace_back(ranks);
    for (std::size_t i = 0; i < ranks / 2; ++i) out.back()[order[i].second] = true;
  };
  const auto node = [&](std::size_t r) -> const TopologyNode& {
    return topology.nodes[static_cast<std::size_t>(topology.rank_nodes[r])];
  };
  add([](std::size_t r) { return static_cast<double>(r); });
  add([&](std::size_t r) { return node(r).x; });
  add([&](std::size_t r) { return node(r).y; });
  std::size_t stride = ranks;
  for (const int size : topology.dimensions) {
    stride /= static_cast<std::size_t>(size);
    add([&](std::size_t r) {
      return static_cast<double>(r / stride % static_cast<std::size_t>(size));
    });
  }
  return out;
}

}  // namespace

std::optional<Bisection> find_bisection(const Topology& topology) {
  if (topology.uniform_ranks > 0 || topology.ranks() < 2 || topology.nodes.size() > kMostForFlow)
    return {};
  FlowNetwork flow(topology);
  if (topology.ranks() <= kMostForAllHalves)
    return Bisection{least_of_all_halves(flow, topology.ranks()), true};
  Bisection out{std::numeric_limits<double>::infinity(), false};
  for (std::vector<bool>& inside : near_halves(topology)) {
    out.bandwidth = std::min(out.bandwidth, flow.flow_out_of(inside));
    inside.flip();
    out.bandwidth = std::min(out.bandwidth, flow.flow_out_of(inside));
  }
  return out;
}

std::optional<int> find_diameter(const Topology& topology) {
  if (topology.uniform_ranks > 0) return topology.uniform_ranks > 1 ? 1 : 0;
  if (topology.ranks() > kMostForDistances) return {};
  const Adjacency near(topology);
  std::vector<int> distance, queue;
  int most = 0;
  for (const int start : topology.rank_nodes) {
    distance.assign(topology.nodes.size(), -1);
    distance[static_cast<std::size_t>(start)] = 0;
    queue.assign(1, start);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto& here = topology.nodes[static_cast<std::size_t>(queue[i])];
      if (i > 0 && !here.forwards) continue;
      for (const auto& edge : near.of(queue[i])) {
        int& there = distance[static_cast<std::size_t>(edge.to)];
        if (there < 0)
          there = distance[static_cast<std::size_t>(queue[i])] + 1, queue.push_back(edge.to);
      }
    }
    for (const int rank : topology.rank_nodes)
      most = std::max(most, distance[static_cast<std::size_t>(rank)]);
  }
  return most;
}

}  // namespace rankscope
