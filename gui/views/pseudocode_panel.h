// The algorithm of a run as pseudocode, with the lines that the step at the cursor is, and marks of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/pseudocode.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Returns the width of the marks of so many ranks; `narrow`: in a narrow pane they are smaller.
float rank_marks_room(const Look& look, float high, bool narrow, int ranks);
/// Marks a line, of a program or of pseudocode, with the ranks that stand there; of very many, how many. They begin at the
/// right edge of the window that is drawn in. `low` is the line's corner, `high` its height in pixels.
void draw_rank_marks(const Look& look, ImDrawList& list, const std::vector<Rank>& ranks, ImVec2 low,
                     float high, bool narrow);

class PseudocodePanel {
 public:
  /// The run that is shown has an algorithm with pseudocode.
  bool has(const AppState& state);
  void draw(ViewContext& context);

 private:
  void find_lines(const Document& document);
  void find_step(const AppState& state);

  std::uint64_t document_ = 0;
  std::vector<PseudocodeLine> lines_;
  int step_ = -1;  ///< Negative: not known.
  Rank chosen_ = -1;
  std::vector<char> done_;  ///< By line: at the cursor.
  std::vector<std::vector<Rank>>
      ranks_;  ///< By line: who does it; once for lines that follow each other.
  std::string below_;
};

}  // namespace rankscope::gui
