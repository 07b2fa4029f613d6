// How the ranks of a run are arranged: read off its algorithm's communicators and messages, so that it is the
// same at every moment.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/stage/stage.h"

namespace rankscope {

/// The ranks of a round in cycles and chains, each rank before the one that it sends to; a rank without messages is alone.
using StageChains = std::vector<std::vector<Rank>>;

struct StageTopology {
  StageForm shape = StageForm::circle;  ///< Without regard to partners.
  /// Arrangements for spread, of which the first that has room is taken; places from 0 to 1 both ways.
  std::vector<std::vector<Point>> places;
  bool levels = false;                    ///< A tree: messages go up and down.
  std::vector<std::vector<Rank>> groups;  ///< The ranks of each group, for groups.
  bool leaders = false;   ///< Between groups only their first ranks exchange messages.
  Rank middle = -1;       ///< The middle of a star.
  bool crossing = false;  ///< Ranks that are not neighbours on it exchange messages.
  /// The edges of a tree or a cube, which are drawn behind all else.
  std::vector<std::pair<Rank, Rank>> edges;
  /// By round, from 1, in a run of exchanges or rotations over several distances. Empty if a rank sends or receives twice in
  /// a round, if all messages go equally far, and for few or very many ranks.
  std::vector<StageChains> partners;
};

StageTopology stage_topology(const TraceAnalysis& analysis);

/// The centres of cards of the size of `card`, by rank: the ranks of a pair stand above each other, those of a cycle around a
/// flat ring, in at most `bands` double rows. Empty if they need more.
std::vector<Point> partner_places(const StageChains& chains, int world, int bands, const Box& area,
                                  const Box& card);

/// The number of steps from one rank to the other around the circle of all ranks, the shorter way.
inline int rank_distance(Rank a, Rank b, int world) {
  const int away = std::abs(a - b);
  return std::min(away, world - away);
}

}  // namespace rankscope
