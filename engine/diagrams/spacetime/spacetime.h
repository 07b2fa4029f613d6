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
  std::vector<Rank>
      ranks;  ///< The ranks shown, in order; empty for all. Messages of others are left out.
  int first_round = 1, last_round = 0;  ///< 0: the last one.
  /// The least end of the time axis, on the scene's clock, with all rounds equally long, so that two diagrams have one
  /// scale. 0 for the end of the run.
  double until = 0;
  double width = 0, height = 0;  ///< Size of the page; 0 for as large as the content needs.
  /// If the page is too small, enlarges it in the same proportions, to be shown smaller, instead of throwing.
  bool may_grow = false;
  double text_scale = 1;  ///< For a column of a paper: 0.7.
  /// The plan of a run that grows: all that is to come has its place from the first event on. Rounds only.
  std::shared_ptr<const PlanMatch> plan = nullptr;
  bool live = false;  ///< The run goes on: an unreceived message is on its way, and no fault.
  LiveMarks marks =
      {};  ///< The marks of a run that is held; groups "offer-2-0" (rank, strand) and "rank-2".
};

/// Draws the diagram, or for more messages or ranks than can be distinguished an overview: merged, with counts. Throws
/// UserError for an empty trace, and for ranks and rounds that it lacks.
Scene spacetime(const TraceAnalysis& analysis, const SpacetimeOptions& options, const Ruler& ruler);

/// Returns options for a pane of this size: what has no room is left out, and the page grows only as the last resort.
SpacetimeOptions spacetime_pane(double width, double height, SpacetimeOptions::Clock clock);

/// Returns whether spacetime() draws the merged overview of this trace.
bool needs_overview(const TraceAnalysis& analysis, const SpacetimeOptions& options);

}  // namespace rankscope
