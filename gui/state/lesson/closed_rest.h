// While a question about the shown run waits for its answer, what comes after its horizon stays closed: not only in
// pictures, but in whatever would list, write or judge the whole run.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::gui {

struct AppState;
struct Command;

/// Why this command may not be carried out now. Empty: it may.
std::string closed_rest_problem(const AppState& state, const Command& command);
/// The view shows all of a run, wherever the cursor is, and is closed as long as a part of the run is.
bool is_closed_view(const AppState& state, std::string_view view);

}  // namespace rankscope::gui
