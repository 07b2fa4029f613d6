// Two runs on one clock.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/diff.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/spacetime/spacetime.h"

namespace rankscope {

struct ComparisonOptions {
  SpacetimeOptions::Clock clock = SpacetimeOptions::Clock::rounds;
  SpacetimeOptions::Labels labels = SpacetimeOptions::Labels::chunks;
  /// Time downwards and the runs side by side; otherwise time to the right and one above the other,
  /// so that equal times stand below each other.
  bool portrait = false;
  std::optional<std::string> title;  ///< Nothing: made from the traces. Empty: none.
  bool verdict = true;               ///< Says what differs; a pane may leave it for later.
  bool edit = false;   ///< The second run is of an earlier text of the first one's program.
  bool older = false;  ///< The second run is the older one: sentences describe the first's changes.
  bool separate = false;  ///< Each run fills its own axis, instead of both having one scale.
};

/// Their space-time diagrams with one scale of time, their figures, and where they begin to differ:
/// runs of one algorithm are compared step by step (see first_difference()), runs of two by their messages.
Scene comparison(const TraceAnalysis& a, const TraceAnalysis& b, const ComparisonOptions& options,
                 const Ruler& ruler);

/// The same for a pane of this size in a window: side by side, with what differs below. The scene's clock is the first
/// run's; its second_axis is the second one's. With separate clocks, both begin and end together, and the times of the
/// second run's groups are on the first one's clock.
Scene comparison_pane(const TraceAnalysis& a, const TraceAnalysis& b,
                      const ComparisonOptions& options, double width, double height,
                      const Ruler& ruler);

/// Where two runs begin to differ, for a picture.
struct Divergence {
  std::string text;  ///< A sentence; empty if they do not differ.
  /// The message at that place in each run, as an index into messages(); nothing if there is none.
  std::optional<std::size_t> a, b;
};
Divergence find_divergence(const TraceAnalysis& left, const TraceAnalysis& right,
                           Compared what = Compared::steps);

}  // namespace rankscope
