// The algorithm of a run as pseudocode, with the lines that the step at the cursor is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/collectives/pseudocode.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

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
  std::string below_;
};

}  // namespace rankscope::gui
