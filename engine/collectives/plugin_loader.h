// Algorithms of others, loaded from shared libraries (plugin.h) into the table of algorithms.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/collectives/algorithm.h"

namespace rankscope {

/// Loads a plug-in and returns the names of its algorithms, also when it was loaded before. They stay until the process
/// ends. Throws UserError, and adds nothing, for a file that is no plug-in or was compiled against other headers, and
/// for a name that exists.
std::vector<std::string_view> load_plugin(const std::string& file);
/// Returns the options that make another `rankscope` load the same plug-ins: {"--plugin", "/path/mine.so", ...}.
std::vector<std::string> plugin_options();

/// Returns the built-in algorithms and those of plug-ins. Any thread may call it; earlier results stay valid.
std::span<const Algorithm> with_plugins();

}  // namespace rankscope
