// Merges ranks into bins, and places the nodes of a communication graph by who talks to whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/types.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

class RankBins {
 public:
  /// Merges ranks into at most `most` bins of 1, 2, 4, 8 ... ranks.
  RankBins(int ranks, int most) : ranks_(ranks) {
    while ((ranks + width_ - 1) / width_ > most) width_ *= 2;
  }
  int count() const noexcept { return (ranks_ + width_ - 1) / width_; }
  int width() const noexcept { return width_; }
  bool merged() const noexcept { return width_ > 1; }
  int of(Rank rank) const noexcept { return rank / width_; }
  Rank first(int bin) const noexcept { return bin * width_; }
  Rank last(int bin) const noexcept { return std::min(first(bin) + width_, ranks_) - 1; }
  /// Returns "5" or "16–31".
  std::string name(int bin) const {
    return first(bin) == last(bin) ? fmt::format("{}", first(bin))
                                   : fmt::format("{}–{}", first(bin), last(bin));
  }
  /// Returns "rank 5" or "ranks 16–31".
  std::string words(int bin) const {
    return (first(bin) == last(bin) ? "rank " : "ranks ") + name(bin);
  }

 private:
  int ranks_;
  int width_ = 1;
};

enum class GraphLayout : std::uint8_t {
  automatic,
  ring,  ///< A circle in order of ranks: for rings, and for whatever has no pattern of its own.
  tree,  ///< The root at the top.
  star,  ///< All talk to one rank only, which stands in the middle.
  hypercube,  ///< Partners differ in one bit: squares within squares. 4, 8 or 16 nodes.
  grid,       ///< Messages stay within rows and columns.
};
std::string_view to_string(GraphLayout layout) noexcept;

/// From node to node, in the order of their first message.
using Links = std::vector<std::pair<int, int>>;
Links links_between(const Rounds& rounds, const RankBins& bins);

/// Returns whether these are all edges of a hypercube of 4 or more nodes, and no others.
bool is_hypercube(int n, const Links& links);

struct GraphShape {
  GraphLayout layout = GraphLayout::ring;
  std::vector<Point> at;  ///< By node.
  double radius = 22;     ///< Radius of a node, in pixels.
};

/// Places the nodes, in the layout `wanted` or, if automatic, one that suits the links. Throws UserError if `wanted` is
/// impossible (a tree needs links that form one).
GraphShape graph_shape(int nodes, const Links& links, GraphLayout wanted = GraphLayout::automatic);

}  // namespace rankscope
