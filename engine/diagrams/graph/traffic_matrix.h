// How much each rank sends to each other one, as a heat map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct MatrixOptions {
  enum class Of : std::uint8_t { bytes, messages };
  Of of = Of::bytes;
  std::optional<std::string> title;  ///< Unset: made from the trace; empty: none.
  bool pane = false;  ///< For a pane of a window: without a caption, see uncaptioned().
  int until = -1;     ///< Counts only these first rounds, on the scale of all; -1: all.
};

/// Rows send, columns receive, with sums of both. All numbers have one unit. More than 64 ranks are
/// merged into bins.
Scene traffic_matrix(const TraceAnalysis& analysis, const MatrixOptions& options,
                     const Ruler& ruler);

}  // namespace rankscope
