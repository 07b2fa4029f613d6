// Maps a moment of either clock to rounds.
#include "gui/state/run/shown_step.h"

#include <algorithm>
#include <cmath>

namespace rankscope::gui {
namespace {

/// Returns when the last rank of a deadlock was blocked, in measured time; -1 without one.
double stuck_from(const Document& document) {
  double last = -1;
  for (const Finding& found : document.findings()) {
    if (found.kind != Finding::Kind::deadlock) continue;
    for (const std::uint64_t event : found.events)
      if (event < document.trace().size())
        last = std::max(last, document.moment_of(ClockBase::measured, event));
  }
  return last;
}

double measured_in_rounds(const Document& document, double moment, int done) {
  if (const double stuck = stuck_from(document); stuck >= 0 && moment >= stuck)
    return document.rounds().count + 1;
  const int count = document.rounds().count;
  if (done >= count) return moment >= document.end(ClockBase::measured) ? count + 1 : count;
  const double begin = document.end_of_round(done), end = document.end_of_round(done + 1);
  if (end <= begin || moment <= begin) return done;
  return done + std::min((moment - begin) / (end - begin), 0.999);
}

}  // namespace

ShownStep shown_step(const Document& document, ClockBase clock, double moment) {
  ShownStep step;
  step.count = document.rounds().count;
  step.done = document.rounds_done(clock, moment);
  step.at = clock == ClockBase::rounds ? moment
            : document.large()         ? step.done  // it has no rounds
                                       : measured_in_rounds(document, moment, step.done);
  step.going = std::clamp(static_cast<int>(std::ceil(step.at - 1e-9)), 0, step.count);
  return step;
}

}  // namespace rankscope::gui
