// A topology as a scene: nodes by their kind, links as wide as their bandwidth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/network/router.h"
#include "engine/network/topology.h"

namespace rankscope {

struct TopologyPictureOptions {
  std::vector<Hop> route;  ///< Made strong and all else pale, unless empty.
  /// By link, how much of its bandwidth is used, 0 to 1, the larger of the two directions: the colour of links in place of
  /// grey, and their labels; a route lies around them then. Empty: not drawn.
  std::vector<double> loads;
  std::string load_of = "of its bandwidth used";  ///< The words behind a load's percentage.
  int selected = -1;                              ///< A link that is outlined, as a route's are.
  /// Letters, and ranks as far as there is room, are so many times larger: for a picture that will be shown smaller.
  double letters = 1;
  double stretch =
      1;  ///< Places are so many times further apart from left to right: for a wide pane.
  double shown_at =
      1;  ///< That size, as a part of the scene's: letters that nobody could read then are left out.
  std::string note;  ///< A line below the picture; empty if none.
  /// For a pane of a window: without a caption (see uncaptioned()) and legend, which the window writes itself.
  bool pane = false;
};

inline constexpr std::size_t kMostDrawnNodes = 1000;

/// Groups: "node-N" and "link-N" with stories. Throws UserError for more than kMostDrawnNodes nodes.
Scene topology_picture(const Topology& topology, const TopologyPictureOptions& options,
                       const Ruler& ruler);

}  // namespace rankscope
