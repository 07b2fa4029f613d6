// The colours and words for a rank's own work.
#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {

Tone work_tone(Verb verb) noexcept {
  switch (verb) {
    case Verb::wait: return Tone::blocked;
    case Verb::reduce:
    case Verb::recv_reduce:
    case Verb::scale: return Tone::reducing;
    case Verb::compute:
    case Verb::delay: return Tone::computing;
    default: return Tone::copying;
  }
}

std::string work_story(Rank rank, Verb verb, double microseconds) {
  return fmt::format("rank {}: {} for {}", rank, verb == Verb::wait ? "blocked" : to_string(verb),
                     microseconds_text(microseconds));
}

}  // namespace rankscope
