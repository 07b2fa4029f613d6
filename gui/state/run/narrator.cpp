// Finds the step at the cursor and has it told.
#include "gui/state/run/narrator.h"

#include <algorithm>

namespace rankscope::gui {

const std::string& Narrator::sentence(const Document& document, const Playback& playback) {
  if (document_ != document.id() || !narration_) {
    narration_.emplace(document.analysis());
    document_ = document.id();
  }
  const double end = document.end(playback.clock);
  const int steps = narration_->steps();
  if (playback.moment >= end) return narration_->sentence(steps + 1);
  if (playback.moment <= 0) return narration_->sentence(0);
  // At the end of a step it is still that one's sentence.
  const int done = document.rounds_done(playback.clock, playback.moment);
  const bool rests = playback.clock == ClockBase::rounds && playback.moment == done;
  return narration_->sentence(std::min(rests ? done : done + 1, steps));
}

}  // namespace rankscope::gui
