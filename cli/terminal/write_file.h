// What --output names.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "engine/core/base/new_file.h"

namespace rankscope::cli {

/// A file that --output names; see there.
NewFile new_output(std::string path);
/// Whole, or not at all. Throws UserError.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& contents);
void write_whole(const std::string& path, std::string_view bytes);

/// Throws UserError when --output was given without a name: ''.
void need_file_name(const std::string& output);

/// Flushes std::cout; throws when that fails: a full disk must not look like success.
void check_stdout();

}  // namespace rankscope::cli
