// The palette's lines for a typed text: commands by name, summary or common words, layouts, views, samples, and sentences such
// as "ring 16".
#pragma once

#include <string>
#include <vector>

#include "gui/state/command/command.h"

namespace rankscope::gui {

struct Settings;
struct WhatIfRun;

struct PaletteLine {
  std::string usage, summary;
  std::string shortcut;  ///< "Ctrl+P, F1", or empty.
  Command command;
  bool whole = false;  ///< The command has all its words.
};

/// Returns the best lines first; for an empty text all commands, in the order of the table.
std::vector<PaletteLine> palette_lines(const Settings& settings, const WhatIfRun& asked,
                                       const std::string& typed);

}  // namespace rankscope::gui
