// The step at the cursor, which is the same in all views.
#pragma once

#include "gui/state/run/document.h"

namespace rankscope::gui {

struct ShownStep {
  int done = 0;   ///< Rounds that are over: the state that buffers, matrix and statistics show.
  int going = 0;  ///< The current or last round; 0 before the first.
  /// The moment in rounds, linear between their ends; `count` + 1 after a measured end or in a deadlock.
  double at = 0;
  int count = 0;  ///< Rounds of the run.
};

ShownStep shown_step(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
