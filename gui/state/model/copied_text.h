// What is known of a thing, as text to be pasted somewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// With its lines of the source.
std::string problem_text(const Problem& problem);
/// "message" 5, "rank" 2, "chunk" 1, "event" 10, "problem" 0. Throws UserError for what is not there.
std::string copied_text(const AppState& state, std::string_view what, std::int64_t number);

}  // namespace rankscope::gui
