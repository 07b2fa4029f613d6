// Finds programs as a shell does, by the variable PATH.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The file of a program that may be executed; nothing: there is none. A name with a slash is the file itself. `path`: folders
/// with colons between them; an empty one is the working folder.
std::optional<std::string> program_in(std::string_view path, const std::string& program);
/// In the folders of the process's own PATH.
std::optional<std::string> program_on_path(const std::string& program);

}  // namespace rankscope
