// The step at the cursor, which is the same in all views.
#pragma once

#include "gui/state/run/document.h"

namespace rankscope::gui {

struct ShownStep {
  int done = 0;   ///< Rounds that are over, as buffers, matrix and statistics count.
  int going = 0;  ///< The current or last round; 0 before the first.
  double at = 0;  ///< The moment in rounds, on either clock; linear between the ends of two rounds.
  int count = 0;  ///< Rounds of the run.
};

ShownStep shown_step(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
