// While a question about the shown run waits for its answer, what comes after its horizon stays closed: not only in
// pictures, but in whatever would list, write or judge the whole run.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::gui {

struct AppState;
struct Command;

/// Returns why the command may not be carried out now; empty if it may.
std::string closed_rest_problem(const AppState& state, const Command& command);
/// Returns whether the view shows all of a run, a part of which is closed.
bool is_closed_view(const AppState& state, std::string_view view);

}  // namespace rankscope::gui
