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
  bool circle = false;           ///< Ranks stand in their order, whatever messages they exchange.
  std::string title = {};        ///< Empty: the algorithm and the number of ranks.
  bool values = false;           ///< Elements, not whose data a chunk holds.
  /// The plan of a run that grows: cards, paths and phases are those of its plan, from the first event on.
  std::shared_ptr<const PlanMatch> plan = nullptr;
  bool live = false;  ///< It goes on: nothing has gone wrong yet.
};

/// How the ranks are arranged.
enum class StageForm : std::uint8_t {
  circle,         ///< In the order of ranks: a ring, or everybody with everybody.
  star,           ///< Around the one rank that all others exchange messages with.
  spread,         ///< A tree, two trees, a cube, a grid.
  groups,         ///< Ranks that belong together stand together.
  partners,       ///< In each step beside those that they exchange messages with.
  neighbourhood,  ///< A circle of all, and one rank's neighbours in detail.
};

/// The largest numbers of ranks for some forms. Where a pane is too small for its form, ranks are nodes of a circle, a tree or
/// groups.
struct StageForms {
  static constexpr int still =
      4;  ///< Exchanges of all distances have room between cards that stand.
  static constexpr int contents = 16;  ///< Cards give way where a message would shrink to a dot.
  static constexpr int partners = 31;  ///< Partners come near each other; more are a neighbourhood.
};

/// A moment is a number of rounds: 1.55 is in the second round. Cards, paths and letters stay where they are at all moments,
/// unless the ranks that exchange messages come near each other at the beginning of a round. Groups: "rank-2", "cell-2-0" (rank, chunk), "m17" (a message, by its number in rounds()), which
/// holds the message's path, and, last, "moving-17", what travels; "offer-2-0" (rank, strand), a message that a gate holds. Throws UserError for an empty trace and for more
/// than 64 ranks.
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
  /// Where things stand at a moment, for any thread: a rank's card, and a chunk's row on it.
  Box card(Rank rank, double moment = 0) const;
  Box row(Rank rank, int chunk, double moment = 0) const;
  int chunks() const noexcept;  ///< Rows on a card; 0 if the ranks' data is unknown.
  StageForm form() const noexcept;
  /// There the ranks wait for each other, one was lost, or a result is wrong.
  bool stuck() const noexcept;

 private:
  class Painter;
  std::unique_ptr<Painter> painter_;
};

/// The moments after rounds `first` to `last` (0: the start), and between two of them `between` - 1 more.
std::vector<Scene> stage_scenes(const TraceAnalysis& analysis, const StageOptions& options,
                                int first, int last, int between, const Ruler& ruler);

/// When what happens in a round happens, as shares of it.
struct StageTimes {
  static constexpr double met = 0.24;  ///< Partners have come near each other, before all else.
  static constexpr double lifted = 0.12, docked = 0.56, slides = 0.58, landed = 0.7, pulsed = 0.85;
};

}  // namespace rankscope
