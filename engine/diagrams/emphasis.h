// Which groups of a scene are strong or dimmed for a chosen message, rank or chunk: the same in every diagram.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// The meaning of "cell-2-1" in a diagram.
enum class CellMeaning : std::uint8_t { other, rank_and_chunk, from_and_to };
enum class Emphasis : std::int8_t { dimmed = -1, usual = 0, strong = 1 };

/// Returns each group's emphasis, by its id: messages "m17", links "link-0-1", cells, ranks "rank-2" ... Other groups
/// are as usual; so are all if nothing is chosen, if none would be strong, or in a large run.
std::vector<Emphasis> emphasis(const Scene& scene, const TraceAnalysis& analysis,
                               const SceneChoice& choice, CellMeaning cells);

}  // namespace rankscope
