// Questions about the coming step of a run, to be predicted before it is seen.
#pragma once

#include <string>
#include <vector>

#include "gui/state/lecture/lecture_state.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

struct StepQuestion {
  std::string text;
  std::vector<std::string> options;
  int right = -1;  ///< Index of the right option; -1 if it is not known.
  ChunkSigns signs = {};
};

/// Returns the questions about the step after the moment: which message comes, what a rank will hold, how many messages and
/// bytes travel, and in a simulated run how long it takes. A held run's plan gives the answers. Empty if no step follows, or
/// none is known.
std::vector<StepQuestion> step_questions(const Document& document, ClockBase clock, double moment);

/// Returns how many steps are over at the moment.
int steps_done(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
