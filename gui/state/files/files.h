// Reads and copies files that users name, without waiting for pipes.
#pragma once

#include <string>

namespace rankscope::gui {

/// Returns the path from the root, since the working folder may be gone when the path is used.
std::string absolute_path(const std::string& path);
/// Throws UserError for a pipe or a folder: opening a pipe waits for its other end.
void refuse_pipe(const std::string& path);
/// Reads a script. Throws UserError unless it is a regular file of at most 4 MiB.
std::string read_script(const std::string& path);
/// Copies a file, whole or not at all. Throws UserError.
void copy_file(const std::string& from, const std::string& to);

}  // namespace rankscope::gui
