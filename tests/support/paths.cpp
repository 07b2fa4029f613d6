// Finds the `rankscope` command and library of this build, and the source tree.
#include "tests/support/paths.h"

#include <cstdlib>

namespace rankscope::test {

std::filesystem::path rankscope_binary() {
  const char* chosen = std::getenv("RANKSCOPE_BINARY");
  return chosen != nullptr ? chosen : RANKSCOPE_BUILT_BINARY;
}

std::filesystem::path programs_library() {
  const char* chosen = std::getenv("RANKSCOPE_PROGRAMS_LIBRARY");
  return std::filesystem::canonical(
      chosen != nullptr ? chosen : rankscope_binary().parent_path() / "../lib/librankscope.so");
}

std::filesystem::path source_root() { return RANKSCOPE_SOURCE_ROOT; }

}  // namespace rankscope::test
