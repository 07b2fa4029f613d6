// Where the nodes of a topology's picture stand, how large they are, and which ways its links take.
#pragma once

#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "engine/network/topology.h"

namespace rankscope {

struct TopologyLayout {
  std::vector<Point> at;    ///< The place of each node.
  bool given = true;        ///< Whether the topology gives the places; otherwise they are made up.
  double unit = 64;         ///< Pixels between neighbours that are 1 apart.
  double radius = 18;       ///< Radius of a rank, in pixels.
  double most_radius = 18;  ///< A larger rank would touch its neighbour.
};

/// As the topology's places say; ranks of a uniform network on a circle. Places that are all the same are made a circle.
TopologyLayout topology_layout(const Topology& topology);

/// A path as in Mark::points: straight, or bent where that would lead through another node. `lane` and `lanes` are for
/// links between the same two nodes.
std::vector<Point> link_path(const TopologyLayout& layout, int a, int b, int lane, int lanes);

}  // namespace rankscope
