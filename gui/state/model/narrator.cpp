// Finds the step at the cursor and narrates it.
#include "gui/state/model/narrator.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace rankscope::gui {
namespace {

/// Returns the step that the stage shows at the cursor; 0 before the first, more than there are steps after the last one.
int step_at(const Document& document, const Playback& playback) {
  if (playback.moment >= document.end(playback.clock)) return std::numeric_limits<int>::max();
  return shown_step(document, playback.clock, playback.moment).going;
}

}  // namespace

std::string Narrator::sentence(const Document& document, const Playback& playback, bool covered) {
  const int step = step_at(document, playback);
  return told(document, covered && step == 0 ? Narration::kCoveredStart : step);
}

std::string Narrator::ahead(const Document& document, const Playback& playback) {
  const int now = step_at(document, playback), all = document.rounds().count;
  return now >= all ? std::string() : told(document, now + 1);
}

std::string Narrator::told(const Document& document, int step) {
  if (document_ != document.id()) {
    narration_ = std::make_shared<Narration>(document.analysis());
    document_ = document.id();
  }
  const bool over = step == std::numeric_limits<int>::max();
  const std::string* const made =
      made_.get(document_, fmt::format("{}", step), [narration = narration_, step, over] {
        const int steps = narration->steps();
        return narration->sentence(over ? steps + 1 : std::min(step, steps));
      });
  return made == nullptr ? std::string() : *made;
}

}  // namespace rankscope::gui
