// Settings that outlive the program: $XDG_CONFIG_HOME/rankscope/gui.json, else
// ~/.config/rankscope/gui.json.
#pragma once

#include <filesystem>
#include <string>

#include "gui/state/files/settings.h"

namespace rankscope::gui {

/// Empty when there is no home.
std::filesystem::path settings_path();

std::string to_json(const Settings& settings);
/// What is missing, of a wrong type or out of range takes its default: a damaged file must not keep a
/// lecture from starting. `complaint` (may be null) tells what was wrong.
Settings settings_from_json(std::string_view text, std::string* complaint);

/// Defaults where there is no file.
Settings read_settings(std::string* complaint);
/// Whole or not at all; two windows at once do not damage it. Throws UserError.
void write_settings(const Settings& settings);

}  // namespace rankscope::gui
