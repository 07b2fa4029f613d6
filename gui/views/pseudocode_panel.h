// A run's algorithm as pseudocode, with the lines of the step at the cursor, and marks of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/pseudocode.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Returns the width of the marks of `ranks` ranks; those of a narrow pane are smaller.
float rank_marks_room(const Look& look, float high, bool narrow, int ranks);
/// Marks a line, of a program or of pseudocode, with the first ranks that stand there and the number of others, at the right edge
/// of the current window. `low`: the line's corner; `high`: its height in pixels.
void draw_rank_marks(const Look& look, ImDrawList& list, const std::vector<Rank>& ranks, ImVec2 low,
                     float high, bool narrow);

class PseudocodePanel {
 public:
  /// Returns whether the shown run's algorithm has pseudocode.
  bool has(const AppState& state);
  void draw(ViewContext& context);

 private:
  void find_lines(const Document& document);
  void find_step(const AppState& state);

  std::uint64_t document_ = 0;
  std::vector<PseudocodeLine> lines_;
  int step_ = -1;  ///< Negative if unknown.
  Rank chosen_ = -1;
  std::vector<char> done_;  ///< By line: done in the step at the cursor.
  /// By line: who does it; empty if as in the line before.
  std::vector<std::vector<Rank>> ranks_;
  std::string below_;
};

}  // namespace rankscope::gui
