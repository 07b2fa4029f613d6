// Each rank's figures, and the lower bounds for any algorithm.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct StatisticsOptions {
  std::optional<std::string> title;  ///< Unset: made from the trace; empty: none.
  bool pane = false;  ///< For a pane of a window: without a caption, see uncaptioned().
  /// The bounds below the table instead of beside it, in short: for narrow and low panes.
  bool bounds_below = false;
  bool brief = false;          ///< A narrow card with the bounds, whose reasons are its story.
  std::size_t most_rows = 16;  ///< Of more ranks, shows the first, last, busiest and least busy.
  int until = -1;              ///< Counts only these first rounds; -1, or in large runs: all.
  int chunk = -1;  ///< Counts only messages with this chunk; -1, or if none is known: all.
};

/// Places and units are those of the whole run, whatever part of it is counted.
Scene statistics_table(const TraceAnalysis& analysis, const StatisticsOptions& options,
                       const Ruler& ruler);

/// How a run compares with the lower bounds of its collective.
struct BoundLine {
  std::string what;    ///< "rounds:", "bytes sent, busiest rank:"
  std::string amount;  ///< "6", "1.75 D"
  std::string bound;   ///< "at least 2", "lower bound reached", "at least 1.75 D"
  bool reached = false;
};
struct Verdicts {
  std::string data;  ///< "D = 64 B, the input of one rank"; empty if unknown.
  std::vector<BoundLine> lines;
  std::vector<std::string> reasons;  ///< Sentences, with the source.
};
/// Empty if the collective is unknown, a message was not received, or the run failed other than by a wrong result.
Verdicts verdicts(const TraceAnalysis& analysis);

}  // namespace rankscope
