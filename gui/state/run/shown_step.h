// Which step the views show at the cursor: all of them ask here, so that all say the same.
#pragma once

#include "gui/state/run/document.h"

namespace rankscope::gui {

struct ShownStep {
  int done = 0;   ///< So many rounds are over: what buffers, matrix and statistics count.
  int going = 0;  ///< The round that goes on, or has just ended; 0: none has begun.
  double at = 0;  ///< In rounds, on either clock: between the ends of two rounds evenly.
  int count = 0;  ///< Rounds of the run.
};

ShownStep shown_step(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
