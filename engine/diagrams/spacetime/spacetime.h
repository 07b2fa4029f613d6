// The time-vs-rank diagram: ranks on one axis, time on the other, an arrow for each message.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/run/live_marks.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct PlanMatch;

struct SpacetimeOptions {
  /// Rounds as engine/analysis/events/rounds.h defines them (the scene's clock counts rounds), or the time
  /// that was measured (the scene's clock is in microseconds).
  enum class Clock : std::uint8_t { rounds, measured };
  enum class Labels : std::uint8_t { all, chunks, bytes, none };

  Clock clock = Clock::rounds;
  Labels labels = Labels::chunks;
  int labelled_round = 0;  ///< Only its messages have labels; 0: all.
  bool portrait = false;   ///< Time downwards, ranks from left to right.
  bool legend = true;
  bool heading = true;  ///< Title, and wide margins; without them for a pane that has its own.
  bool foot = true;     ///< The run's figures below, and the legend.
  bool critical_path = false;  ///< The chain of messages that the last event had to wait for.
  std::string title;           ///< Empty: the algorithm and the number of ranks.
  std::vector<Rank> ranks;     ///< Which, in order; empty for all. Messages to others are left out.
  int first_round = 1, last_round = 0;  ///< 0: the last one.
  /// The time axis runs at least to here, on the scene's clock, and all rounds are equally long: so
  /// that two diagrams have one scale. 0: it ends with the run.
  double until = 0;
  double width = 0, height = 0;  ///< Size of the page; 0 for as large as the content needs.
  /// Where that has no room, the page is larger, in the same proportions, and no error: it will be
  /// shown smaller.
  bool may_grow = false;
  double text_scale = 1;  ///< For a column of a paper: 0.7.
  /// The plan of a run that grows: all that is to come has its place from the first event on. Rounds only.
  std::shared_ptr<const PlanMatch> plan = nullptr;
  bool live = false;  ///< It goes on: what nobody has received yet is on its way, and no fault.
  LiveMarks marks =
      {};  ///< The marks of a run that is held; groups "offer-2-0" (rank, strand) and "rank-2".
};

/// Throws UserError for an empty trace, ranks that it has not, and rounds that it has not. Of more
/// messages or ranks than can be distinguished, an overview: merged, with counts.
Scene spacetime(const TraceAnalysis& analysis, const SpacetimeOptions& options, const Ruler& ruler);

/// For a pane of a window of this size: what has no room is left out, and the page grows only as the last resort.
SpacetimeOptions spacetime_pane(double width, double height, SpacetimeOptions::Clock clock);

/// Does spacetime() draw the merged overview of this trace?
bool needs_overview(const TraceAnalysis& analysis, const SpacetimeOptions& options);

}  // namespace rankscope
