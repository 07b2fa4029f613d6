// Arrangements of the window that have a name.
#pragma once

#include <string>
#include <vector>

#include "gui/state/files/settings.h"

namespace rankscope::gui {

/// Those that everybody has: stage, standard, lecture, debug, code.
const std::vector<NamedLayout>& built_in_layouts();
/// What the user saved, then the built-in ones whose names are not taken.
std::vector<NamedLayout> layouts_of(const Settings& settings);
/// Throws UserError that names them all.
Layout layout_named(const Settings& settings, const std::string& name);
/// Keeps the window's layout under this name. Throws UserError for one that no command could say.
void save_layout(Settings& settings, const std::string& name);
/// With another picture where a race would be: there is none.
void show_no_race(Layout& layout);
/// Throws UserError when the user saved none of this name.
void remove_layout(Settings& settings, const std::string& name);

}  // namespace rankscope::gui
