// What happens in the step at the cursor, in a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/analysis/narration/narration.h"
#include "gui/state/app/app_state.h"

namespace rankscope::gui {

/// Follows the trace that is shown; each sentence is made once.
class Narrator {
 public:
  /// At the start of the run what the ranks begin with, within a step and at its end that step, at the end of all how
  /// the run ended.
  const std::string& sentence(const Document& document, const Playback& playback);

 private:
  std::uint64_t document_ = 0;
  std::optional<Narration> narration_;
};

}  // namespace rankscope::gui
