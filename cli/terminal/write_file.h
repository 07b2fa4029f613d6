// Output files of commands.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rankscope::cli {

/// Writes a file whole or not at all. Throws UserError.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& contents);
void write_whole(const std::string& path, std::string_view bytes);

/// Throws UserError for an empty name.
void need_file_name(const std::string& output);

/// Flushes std::cout and throws when that fails, as a full disk must not look like success.
void check_stdout();

}  // namespace rankscope::cli
