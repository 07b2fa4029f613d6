// Where the nodes of a communication graph stand: chosen from who talks to whom.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagrams/scene/scene.h"

namespace rankscope {

enum class GraphLayout : std::uint8_t {
  automatic,
  ring,  ///< A circle in order of ranks: for rings, and for whatever has no pattern of its own.
  tree,  ///< The root above.
  star,  ///< Everybody talks to one rank only: it stands in the middle.
  hypercube,  ///< Partners differ in one bit: squares within squares. 4, 8 or 16 nodes.
  grid,       ///< Messages stay within rows and columns.
};
std::string_view to_string(GraphLayout layout) noexcept;

/// From node to node, in the order of their first message.
using Links = std::vector<std::pair<int, int>>;

struct GraphShape {
  GraphLayout layout = GraphLayout::ring;
  std::vector<Point> at;  ///< By node.
  double radius = 22;     ///< Of a node.
  int number_every = 1;   ///< So many nodes have room for one number.
  bool beside = false;    ///< Numbers stand outside of the circle of nodes.
};

/// `wanted` other than automatic: that layout, where it is possible (a tree needs links that make one);
/// throws UserError where it is not.
GraphShape graph_shape(int nodes, const Links& links, GraphLayout wanted = GraphLayout::automatic);

/// Brings the nodes closer until all of them have room in this size. They get smaller, too, and where numbers of this
/// width have no room in them any more, those of a ring stand outside.
void fit_graph(GraphShape& shape, double width, double height, double number_width);

}  // namespace rankscope
