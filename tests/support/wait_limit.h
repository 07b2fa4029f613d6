// The one limit of all tests.
#pragma once

#include <chrono>

namespace rankscope::test {

/// The most that a test waits for anything it expects: far beyond what a busy machine needs. CTest ends a test a little
/// later (RANKSCOPE_TEST_LIMIT in tests/CMakeLists.txt).
inline constexpr std::chrono::seconds kWaitLimit{1000};

}  // namespace rankscope::test
