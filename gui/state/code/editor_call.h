// Opens a file in the user's editor, at a line.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Returns the program and its arguments from a template such as "code -g {file}:{line}". Throws UserError for one without {file}.
std::vector<std::string> editor_call(const std::string& pattern, const std::string& file,
                                     unsigned line);
/// Returns $VISUAL, else the first installed editor with a window of its own, or empty. `has` says whether a program is on
/// PATH.
std::string usual_editor(const std::function<bool(const std::string&)>& has);
bool is_on_path(const std::string& program);
/// Starts the editor without waiting for it. Throws UserError if it cannot be started.
void start_editor(const std::vector<std::string>& call);

}  // namespace rankscope::gui
