// Two to four runs as stages on one clock, each with counters, and the verdict below them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct RaceOptions {
  double width = 0, height = 0;  ///< Size of the page; 0 for 1280 x 720.
  bool measured = false;         ///< The clock: microseconds, not rounds.
  bool values = false;
  bool predicted =
      false;  ///< Before the end neither the verdict nor totals are shown: they are the answer.
  std::string title = {};  ///< Empty: without a heading.
};

/// Groups are those of Stage, with "a-" before those of the first run, "b-" before those of the second ..., and "verdict",
/// whose story is the whole of it. A page that is too small for stages has a line for each run ("a-run"), which fills. All
/// that does not travel or count stays where it is at all moments. Throws UserError for less than two runs or more than
/// four, and as Stage does.
class RaceStages {
 public:
  static constexpr std::size_t kMost = 4;
  RaceStages(const std::vector<TraceAnalysis>& runs, RaceOptions options, const Ruler& ruler);
  RaceStages(const std::vector<TraceAnalysis>&, RaceOptions, const Ruler&&) = delete;
  ~RaceStages();
  RaceStages(const RaceStages&) = delete;
  RaceStages& operator=(const RaceStages&) = delete;

  /// A moment of the clock. Not for several threads at once.
  Scene at(double moment);
  /// When the last one has finished.
  double end() const noexcept;

 private:
  class Painter;
  std::unique_ptr<Painter> painter_;
};

}  // namespace rankscope
