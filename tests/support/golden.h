// Approved texts: a test's output is compared with a file that a person has read and accepted.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::test {

/// Compares `text` with tests/golden/<name>.txt and fails the running test with the first line that
/// differs. With RANKSCOPE_ACCEPT=1 in the environment, rewrites the file instead;
/// tests/support/accept_golden.sh does that for a whole test executable. Read the difference (git
/// diff) before it is committed.
void check_golden(std::string_view name, const std::string& text);

}  // namespace rankscope::test
