// How the ranks of a run are arranged: read off its algorithm's communicators and messages, so that it is the
// same at every moment.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/stage/stage_partners.h"

namespace rankscope {

struct StageTopology {
  enum class Shape : std::uint8_t {
    circle,  ///< A ring, or everybody with everybody: in the order of ranks.
    star,    ///< Everybody with one rank only, which stands in the middle.
    spread,  ///< At places of their own: a tree, a hypercube, a grid.
    groups,  ///< Ranks that belong together stand together.
  };
  Shape shape = Shape::circle;
  /// Arrangements for spread, of which the first that has room is taken; places from 0 to 1 both ways.
  std::vector<std::vector<Point>> places;
  bool levels = false;                    ///< A tree: messages go up and down.
  std::vector<std::vector<Rank>> groups;  ///< The ranks of each group, for groups.
  Rank middle = -1;                       ///< The middle of a star.
  bool crossing = false;  ///< Whether ranks of a circle that are not neighbours exchange messages.
  /// The edges of a tree or a cube, which are drawn behind all else.
  std::vector<std::pair<Rank, Rank>> edges;
  std::vector<StageChains> partners;  ///< By round, as stage_partners() finds them.
};

StageTopology stage_topology(const TraceAnalysis& analysis);

}  // namespace rankscope
