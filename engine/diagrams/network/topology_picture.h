// A topology as a scene: nodes by their kind, links as wide as their bandwidth.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/network/router.h"
#include "engine/network/topology.h"

namespace rankscope {

struct TopologyPictureOptions {
  std::vector<Hop> route;  ///< Emphasized, with all else pale; empty for none.
  /// By link, the share of its bandwidth that is used, 0 to 1, in the busier direction. Colours and labels the links; a
  /// route is then drawn around them. Empty: not drawn.
  std::vector<double> loads;
  std::string load_of = "of its bandwidth used";  ///< The words behind a load's percentage.
  int selected = -1;                              ///< A link that is outlined as those of a route.
  /// Enlarges letters, and ranks as far as there is room, for a picture that will be shown smaller.
  double letters = 1;
  double stretch = 1;  ///< Multiplies horizontal distances, for a wide pane.
  /// The scale at which it will be shown: letters that would be too small to read are left out.
  double shown_at = 1;
  std::string note;  ///< A line below the picture; empty if none.
  /// For a pane of a window: without a caption (see uncaptioned()) and legend, which the window writes itself.
  bool pane = false;
};

inline constexpr std::size_t kMostDrawnNodes = 1000;

/// Groups: "rank-N", "node-N" and "link-N", with stories. Throws UserError for more than kMostDrawnNodes nodes.
Scene topology_picture(const Topology& topology, const TopologyPictureOptions& options,
                       const Ruler& ruler);

}  // namespace rankscope
