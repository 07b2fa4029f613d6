// How a file is opened in somebody's editor, at a line.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// The program and its arguments: the words of a template such as "code -g {file}:{line}". Throws UserError for one
/// without {file}.
std::vector<std::string> editor_call(const std::string& pattern, const std::string& file,
                                     unsigned line);
/// The first editor with a window of its own that is there; empty: none. `has` says whether a program is on PATH.
std::string usual_editor(const std::function<bool(const std::string&)>& has);
bool is_on_path(const std::string& program);
/// Starts it, and leaves it to itself. Throws UserError where it cannot be started.
void start_editor(const std::vector<std::string>& call);

}  // namespace rankscope::gui
