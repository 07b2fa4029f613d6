// Arrows between nodes, which bend around what is in their way, and places for their labels.
#pragma once

#include <optional>
#include <vector>

#include "engine/diagrams/graph/graph_layout.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

class GraphArrows {
 public:
  explicit GraphArrows(const GraphShape& shape) : shape_(shape) {}

  /// The arrow of a link; `two_way`: there is one in the other direction too, so both bend apart.
  const std::vector<Point>& add(int from, int to, bool two_way);
  /// The middle of a label of this size on arrow `i` (as they were added), or beside one that is too
  /// short for it: clear of nodes, of labels placed before, and, where possible, of other arrows;
  /// nothing when there is no such place.
  std::optional<Point> label(std::size_t i, double width, double height);
  const std::vector<Point>& operator[](std::size_t i) const { return arrows_[i].points; }

 private:
  struct Arrow {
    int from = 0, to = 0;
    std::vector<Point> points, samples;
  };
  std::vector<Point> bent(int from, int to, double by) const;
  int nodes_hit(const Arrow& arrow) const;
  std::vector<Point> places(const Arrow& arrow, double width, double height) const;
  bool blocked(const Box& box) const;
  int arrows_hit(std::size_t own, const Box& box) const;

  const GraphShape& shape_;
  std::vector<Arrow> arrows_;
  std::vector<Box> labels_;
};

}  // namespace rankscope
