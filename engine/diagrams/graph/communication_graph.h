// The communication graph: ranks as nodes, messages as arrows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/graph/graph_layout.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct GraphOptions {
  int round = 0;  ///< Shows what its messages carry; 0: counts those of the rounds below.
  int first_round = 1, last_round = 0;  ///< 0: the last one.
  GraphLayout layout = GraphLayout::automatic;
  std::optional<std::string> title;  ///< Unset: made from the trace; empty: none.
};

/// The layout follows from the messages of the whole run, so that nodes stay where they are from
/// round to round. More than 64 ranks are merged into circles of consecutive ranks. Throws UserError
/// for rounds that the run does not have.
Scene communication_graph(const TraceAnalysis& analysis, const GraphOptions& options,
                          const Ruler& ruler);

/// Returns the graph of each round from `first` to `last` (0 for all), all of the same size, for an animation.
std::vector<Scene> communication_graphs(const TraceAnalysis& analysis, const GraphOptions& options,
                                        int first, int last, const Ruler& ruler);

}  // namespace rankscope
