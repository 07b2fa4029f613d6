// The state of the shown run in a few words, for the chip at the right of the header.
#pragma once

#include <string>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct StateChip {
  enum class Kind : std::uint8_t { quiet, good, busy, bad };
  std::string text;
  Kind kind = Kind::quiet;
};

/// Returns the state of the window's processes and of their last run, or how the run of an opened trace ended.
StateChip state_chip(const AppState& state);

}  // namespace rankscope::gui
