// Finds the `rankscope` command of this build and the source tree.
#include "tests/support/paths.h"

#include <cstdlib>

namespace rankscope::test {

std::filesystem::path rankscope_binary() {
  const char* chosen = std::getenv("RANKSCOPE_BINARY");
  return chosen != nullptr ? chosen : RANKSCOPE_BUILT_BINARY;
}

std::filesystem::path source_root() { return RANKSCOPE_SOURCE_ROOT; }

}  // namespace rankscope::test
