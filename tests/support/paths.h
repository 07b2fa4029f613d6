// The paths that tests need: the `rankscope` command, its library and the source tree.
#pragma once

#include <filesystem>

namespace rankscope::test {

// The `rankscope` command of this build, or $RANKSCOPE_BINARY if set.
std::filesystem::path rankscope_binary();

// librankscope as programs of others load it, from this build. $RANKSCOPE_PROGRAMS_LIBRARY names another one if this
// build's needs a sanitizer, which Python lacks.
std::filesystem::path programs_library();

// The root of the source tree, for golden files.
std::filesystem::path source_root();

}  // namespace rankscope::test
