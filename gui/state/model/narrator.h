// The narration: a sentence on the step at the cursor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/analysis/narration/narration.h"
#include "gui/state/command/made_later.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Narrates the shown trace. The first sentence needs the whole trace, and is made in the background if that takes long.
class Narrator {
 public:
  /// Returns whether the run is narrated: long runs are not.
  static bool tells_of(const AppState& state) noexcept {
    return state.settings.narration && state.has_trace() && !state.document->large();
  }
  /// Returns a sentence on the data at the start of the run, on the step at the cursor, or on how the run ended. Empty while it is
  /// being made. `covered`: the sentence on the start does not say how many steps follow.
  std::string sentence(const Document& document, const Playback& playback, bool covered = false);
  /// Returns the sentence on the next step; empty if there is none or it is being made. A narrator keeps one sentence, so it
  /// serves either this or sentence().
  std::string ahead(const Document& document, const Playback& playback);
  bool busy() const noexcept { return made_.busy(); }

 private:
  std::string told(const Document& document, int step);
  std::uint64_t document_ = 0;
  std::shared_ptr<Narration> narration_;  ///< Used by one thread at a time: see MadeLater.
  MadeLater<std::string> made_;
};

}  // namespace rankscope::gui
