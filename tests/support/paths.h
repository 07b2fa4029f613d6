// The paths that tests need: the `rankscope` command and the source tree.
#pragma once

#include <filesystem>

namespace rankscope::test {

// The `rankscope` command of this build ($RANKSCOPE_BINARY, where set, names another one).
std::filesystem::path rankscope_binary();

// The root of the source tree, for golden files.
std::filesystem::path source_root();

}  // namespace rankscope::test
