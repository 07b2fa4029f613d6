// The stage: every rank as a card with what it holds, on the run's own topology, and the messages that travel
// between the cards. A pure function of the trace and a moment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/run/live_marks.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct PlanMatch;

struct StageOptions {
  double width = 0, height = 0;  ///< Size of the page; 0 for 1280 x 720. No smaller than 200 x 120.
  bool heading = true;           ///< A title; without it for a pane that has its own.
  bool circle = false;  ///< Ranks are in a circle in their order, whatever messages they exchange.
  std::string title = {};  ///< If empty, the algorithm and the number of ranks.
  bool values = false;     ///< Elements instead of slots.
  /// The plan of a growing run, which then has the plan's cards, paths and phases from the first event on.
  std::shared_ptr<const PlanMatch> plan = nullptr;
  bool live = false;  ///< The run goes on: nothing has gone wrong yet.
};

/// How the ranks are arranged.
enum class StageForm : std::uint8_t {
  circle,         ///< In the order of ranks: for a ring, or messages between all.
  star,           ///< Around the one rank with which all others exchange messages.
  spread,         ///< A tree, two trees, a cube, a grid.
  groups,         ///< Ranks of one group are together.
  partners,       ///< In each step beside the ranks that they exchange messages with.
  neighbourhood,  ///< A circle of all, and one rank's neighbours in detail.
};

/// The largest numbers of ranks for some forms. In a pane that is too small for its form, ranks are nodes of a circle, a tree
/// or groups.
struct StageForms {
  static constexpr int still =
      4;  ///< Exchanges of all distances fit between cards that do not move.
  static constexpr int contents =
      16;  ///< With up to so many, cards become smaller before a message shrinks to a dot.
  static constexpr int partners = 31;  ///< With more, `partners` becomes `neighbourhood`.
};

/// The scenes of a run at any moment, in rounds: 1.55 is in the second round. Cards, paths and letters keep their places, unless
/// ranks that exchange messages come near each other at the beginning of a round. Groups: "rank-2", "cell-2-0" (rank,
/// chunk), "m17" (the path of message 17 of rounds()), "moving-17" (the message itself, on top) and "offer-2-0" (rank,
/// strand; a message that a gate holds). Throws UserError for an empty trace and for more than 64 ranks.
class Stage {
 public:
  Stage(const TraceAnalysis& analysis, StageOptions options, const Ruler& ruler);
  Stage(const TraceAnalysis&, StageOptions,
        const Ruler&&) = delete;  ///< It measures texts as long as it lives.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Not for several threads at once.
  Scene at(double moment, const SceneChoice& focus = {}, const LiveMarks& marks = {});
  double end() const noexcept;
  /// Return the place of a rank's card, and of a chunk's row on it, at a moment. May be called by any thread.
  Box card(Rank rank, double moment = 0) const;
  Box row(Rank rank, int chunk, double moment = 0) const;
  int chunks() const noexcept;  ///< Rows on a card; 0 if the ranks' data is unknown.
  StageForm form() const noexcept;
  /// Returns whether the run ends in trouble: a deadlock, a lost rank or a wrong result.
  bool stuck() const noexcept;

 private:
  class Painter;
  std::unique_ptr<Painter> painter_;
};

/// Returns the scenes after rounds `first` to `last` (0: the start), with `between` - 1 more between each two.
std::vector<Scene> stage_scenes(const TraceAnalysis& analysis, const StageOptions& options,
                                int first, int last, int between, const Ruler& ruler);

/// The moments of a round, as shares of it.
struct StageTimes {
  static constexpr double met = 0.24;  ///< Partners have come near each other.
  static constexpr double lifted = 0.12, docked = 0.56, slides = 0.58, landed = 0.7, pulsed = 0.85;
};

}  // namespace rankscope
