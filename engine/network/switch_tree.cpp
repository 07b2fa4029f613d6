// Searches from each reducing switch down to the ranks, and leaves out switches that have nothing to add.
#include "engine/network/switch_tree.h"

#include <algorithm>
#include <limits>

#include "engine/core/base/ranges.h"
#include "engine/network/placement.h"

namespace rankscope {
namespace {

const TopologyNode& node_at(const Topology& topology, int node) {
  return topology.nodes[static_cast<std::size_t>(node)];
}

/// The next node on the way from every node to a root, passing no rank; -1 for the root, -2 if there is no way.
class WaysTo {
 public:
  WaysTo(const Topology& topology, const Adjacency& near, int root)
      : above_(topology.nodes.size(), kNone), depth_(topology.nodes.size(), 0) {
    std::vector<int> queue{root};
    above_[static_cast<std::size_t>(root)] = -1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const int node = queue[i];
      if (node != root && node_at(topology, node).kind == NodeKind::rank) continue;
      for (const auto& edge : near.of(node)) {
        const auto to = static_cast<std::size_t>(edge.to);
        if (above_[to] != kNone) continue;
        above_[to] = node;
        depth_[to] = depth_[static_cast<std::size_t>(node)] + 1;
        queue.push_back(edge.to);
      }
    }
  }
  int above(int node) const { return above_[static_cast<std::size_t>(node)]; }
  /// Returns the number of links to the root; a very large number if there is no way.
  int depth(int node) const {
    return above(node) == kNone ? std::numeric_limits<int>::max()
                                : depth_[static_cast<std::size_t>(node)];
  }

 private:
  static constexpr int kNone = -2;
  std::vector<int> above_, depth_;
};

class TreeBuilder {
 public:
  TreeBuilder(const Topology& topology, std::vector<int> rank_nodes)
      : topology_(topology), near_(topology), rank_nodes_(std::move(rank_nodes)) {}

  std::optional<ReducingTree> build() {
    const int root = best_root();
    if (root < 0) return std::nullopt;
    join(WaysTo(topology_, near_, root), root);
    leave_out_single();
    return numbered();
  }

 private:
  int best_root() const {
    int best = -1, least = std::numeric_limits<int>::max();
    for (int node = 0; node < static_cast<int>(topology_.nodes.size()); ++node) {
      if (!node_at(topology_, node).reduces) continue;
      const WaysTo ways(topology_, near_, node);
      int farthest = 0;
      for (const int rank : rank_nodes_) farthest = std::max(farthest, ways.depth(rank));
      if (farthest < least) best = node, least = farthest;
    }
    return best;
  }

  /// Sets `parent_` for the ranks and the reducing switches above them.
  void join(const WaysTo& ways, int root) {
    parent_.assign(topology_.nodes.size(), kOutside);
    parent_[static_cast<std::size_t>(root)] = kRoot;
    for (int node : rank_nodes_)
      while (node != root && parent_[static_cast<std::size_t>(node)] == kOutside) {
        int above = ways.above(node);
        while (!node_at(topology_, above).reduces) above = ways.above(above);
        parent_[static_cast<std::size_t>(node)] = above;
        node = above;
      }
  }

  int children(int of) const { return static_cast<int>(ranges::count(parent_, of)); }
  bool is_rank(int node) const { return node_at(topology_, node).kind == NodeKind::rank; }

  void leave_out_single() {
    for (bool again = true; again;) {
      again = false;
      for (int node = 0; node < static_cast<int>(parent_.size()); ++node) {
        const int above = parent_[static_cast<std::size_t>(node)];
        if (above == kOutside || is_rank(node) || children(node) != 1) continue;
        const auto below = ranges::find(parent_, node);
        if (above == kRoot && is_rank(static_cast<int>(below - parent_.begin()))) continue;
        *below = above;
        parent_[static_cast<std::size_t>(node)] = kOutside;
        again = true;
      }
    }
  }

  ReducingTree numbered() const {
    ReducingTree tree;
    tree.ranks = static_cast<int>(rank_nodes_.size());
    std::vector<int> place(topology_.nodes.size(), -1);
    for (int r = 0; r < tree.ranks; ++r)
      place[static_cast<std::size_t>(rank_nodes_[static_cast<std::size_t>(r)])] = r;
    int places = tree.ranks;
    for (int node = 0; node < static_cast<int>(parent_.size()); ++node) {
      if (is_rank(node) || parent_[static_cast<std::size_t>(node)] == kOutside) continue;
      place[static_cast<std::size_t>(node)] = places++;
      tree.switches.push_back({topology_.name_of(node), node, tree.ranks});
    }
    tree.parent.assign(static_cast<std::size_t>(places), -1);
    for (std::size_t node = 0; node < place.size(); ++node)
      if (place[node] >= 0 && parent_[node] >= 0)
        tree.parent[static_cast<std::size_t>(place[node])] =
            place[static_cast<std::size_t>(parent_[node])];
    for (Rank rank = 0; rank < tree.ranks; ++rank) climb(tree, rank);
    return tree;
  }

  /// The lowest rank below a switch plays it.
  static void climb(ReducingTree& tree, Rank rank) {
    int links = 0;
    for (int at = tree.parent_of(rank); at >= 0; at = tree.parent_of(at), ++links) {
      auto& one = tree.switches[static_cast<std::size_t>(at - tree.ranks)];
      one.played_by = std::min(one.played_by, rank);
    }
    tree.levels = std::max(tree.levels, links);
  }

  static constexpr int kRoot = -1, kOutside = -2;
  const Topology& topology_;
  const Adjacency near_;
  const std::vector<int> rank_nodes_;
  std::vector<int> parent_;  ///< By node: the next reducing switch above it.
};

}  // namespace

std::optional<ReducingTree> find_reducing_tree(const Topology& topology,
                                               const std::vector<Rank>& places, int ranks) {
  if (topology.uniform_ranks > 0 || ranks > topology.ranks()) return std::nullopt;
  std::vector<int> nodes;
  for (Rank rank = 0; rank < ranks; ++rank)
    nodes.push_back(topology.rank_nodes[static_cast<std::size_t>(placed_at(places, rank))]);
  return TreeBuilder(topology, std::move(nodes)).build();
}

int network_end(const ReducingTree& tree, int topology_ranks, int place) noexcept {
  return tree.is_switch(place) ? topology_ranks + place - tree.ranks : place;
}

Topology with_switch_ends(Topology topology, const ReducingTree& tree) {
  for (const auto& one : tree.switches) topology.rank_nodes.push_back(one.node);
  return topology;
}

}  // namespace rankscope
