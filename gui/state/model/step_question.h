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
  int right = -1;  ///< An option; -1 if the right one is not known.
  ChunkSigns signs = {};
};

/// Returns the questions about the step after the moment: which message comes, what a rank will hold, how many messages and
/// bytes travel, and of simulated runs how long it takes. Of a run that is held they are asked of its plan. Empty where
/// nothing follows, or nothing is known of what follows.
std::vector<StepQuestion> step_questions(const Document& document, ClockBase clock, double moment);

/// Returns how many steps are over at the moment, of a run or of the plan of one that is held.
int steps_done(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
