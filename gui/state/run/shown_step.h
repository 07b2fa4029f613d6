// The step at the cursor, which is the same in all views.
#pragma once

#include "gui/state/run/document.h"

namespace rankscope::gui {

struct ShownStep {
  int done = 0;   ///< Rounds that are over, as buffers, matrix and statistics count.
  int going = 0;  ///< The round that goes on, or has just ended; 0 before the first.
  double at = 0;  ///< In rounds, on either clock: between the ends of two rounds evenly.
  int count = 0;  ///< Rounds of the run.
};

ShownStep shown_step(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
