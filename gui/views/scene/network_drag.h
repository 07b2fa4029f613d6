// What the mouse does to a network: nodes that are moved, links that are drawn from one to another.
#pragma once

#include <optional>
#include <vector>

#include "gui/views/scene/scene_painter.h"
#include "gui/views/view.h"

namespace rankscope::gui {

class NetworkDrag {
 public:
  /// True: the mouse is for a node.
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered);
  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
            const ScenePlace& place);

 private:
  struct Node {
    int number = -1;
    Box box;  ///< In the scene.
  };
  struct Held {
    int node = -1;
    ImVec2 from;
    bool moved = false, links = false;
  };
  void find_nodes(const Topology& topology, const Scene& scene);
  const Node* node_at(Point at) const;
  const Node* node_numbered(int number) const;
  void drop(ViewContext& context, Point at);

  std::vector<Node> nodes_;  ///< Of the scene that was drawn last.
  std::optional<Held> held_;
};

}  // namespace rankscope::gui
