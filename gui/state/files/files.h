// Reading and writing what users name, without ever waiting for it.
#pragma once

#include <string>

namespace rankscope::gui {

/// With the working folder, as long as there is one: it may be gone when the path is used.
std::string absolute_path(const std::string& path);
/// Throws UserError for a pipe or a folder: anyone who opens a pipe waits for its other end.
void refuse_pipe(const std::string& path);
/// Throws UserError unless it is a file of a size that a person writes.
std::string read_script(const std::string& path);
/// The new file is there whole or not at all. Throws UserError.
void copy_file(const std::string& from, const std::string& to);

}  // namespace rankscope::gui
