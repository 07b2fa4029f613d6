// Where the nodes of a topology's picture stand, how large they are, and which ways its links take.
#pragma once

#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "engine/network/topology.h"

namespace rankscope {

struct TopologyLayout {
  std::vector<Point> at;    ///< The place of each node.
  bool given = true;        ///< False if nodes shared a place, so that all were put on a circle.
  double unit = 64;         ///< Pixels between neighbours that are 1 apart.
  double radius = 18;       ///< Radius of a rank, in pixels.
  double most_radius = 18;  ///< A larger rank would touch its neighbour.
};

/// Places nodes as the topology says; on a circle in a uniform network, or if two nodes share a place.
TopologyLayout topology_layout(const Topology& topology);

/// Returns a path as in Mark::points: straight, or bent to avoid another node. `lane` and `lanes` are for
/// links between the same two nodes.
std::vector<Point> link_path(const TopologyLayout& layout, int a, int b, int lane, int lanes);

}  // namespace rankscope
