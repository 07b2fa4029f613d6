// What the palette finds for what is typed: commands by name, summary or the words people use, layouts, views, samples,
// and sentences such as "ring 16".
#pragma once

#include <string>
#include <vector>

#include "gui/state/command/command.h"

namespace rankscope::gui {

struct Settings;

struct PaletteLine {
  std::string usage, summary;
  std::string shortcut;  ///< "Ctrl+P, F1"; empty: none.
  Command command;
  bool whole = false;  ///< With all its words: it needs no more typing.
};

/// The best first; for nothing typed all commands, in the order of the table.
std::vector<PaletteLine> palette_lines(const Settings& settings, const std::string& typed);

}  // namespace rankscope::gui
