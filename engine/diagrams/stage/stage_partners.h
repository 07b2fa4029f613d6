// Runs in which each rank sends and receives one message a round, over several distances: exchanges, rotations. Those that
// exchange messages come near each other in each round.
#pragma once

#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// The ranks of a round that stand together, each beside the one that it sends to: cycles, chains, pairs; a rank without
/// messages is alone.
using StageChains = std::vector<std::vector<Rank>>;

/// By round, from 1. Empty if a rank sends or receives twice in one, if all go equally far, and for few or very many ranks.
std::vector<StageChains> stage_partners(const TraceAnalysis& analysis);

/// The centres of cards of the size of `card`, by rank: of a pair above each other, of a cycle around a flat ring. `bands`: so
/// many rows of pairs. Empty if they need more.
std::vector<Point> partner_places(const StageChains& chains, int world, int bands, const Box& area,
                                  const Box& card);

}  // namespace rankscope
