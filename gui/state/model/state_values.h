// Values of the state by name, for scripts and tests.
#pragma once

#include <string>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Returns a value of the state as text: "status", "events", "moment", "ranks", "problems" ... Throws UserError for an unknown key.
std::string value_of(const AppState& state, const std::string& key);
/// Returns whether the words of `expect` hold: a key, and its value or "*part of it*".
bool meets(const AppState& state, const std::vector<std::string>& words);

}  // namespace rankscope::gui
