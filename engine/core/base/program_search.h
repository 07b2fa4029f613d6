// Finds programs by the variable PATH, as a shell does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// Returns the path of an executable program, or nothing. A name with a slash is the path itself. `path` is a list of
/// folders separated by colons; an empty entry is the working folder.
std::optional<std::string> program_in(std::string_view path, const std::string& program);
/// Searches the folders of the process's own PATH.
std::optional<std::string> program_on_path(const std::string& program);

}  // namespace rankscope
