// Values of the state by name, for scripts and tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// A value of the state as text: "status", "events", "moment", "ranks", "problems" ... Throws UserError for an
/// unknown key.
std::string value_of(const AppState& state, const std::string& key);
/// Words of `expect`: a key, and the value or "*part of it*".
bool meets(const AppState& state, const std::vector<std::string>& words);

struct LessonState;

/// "verdict", "points", "grade" ... of a question, whether it was answered or not; nothing for a key that there is not.
std::optional<std::string> question_value(const LessonState& lesson, std::string_view key,
                                          const std::string& question);

}  // namespace rankscope::gui
