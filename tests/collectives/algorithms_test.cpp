// Every algorithm against the oracle: all world sizes, counts, element types, operators, roots and
// send modes. One test case an algorithm, so that they run beside each other.
#include "tests/collectives/harness.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {
const bool kAdded = [] {
  for (const Algorithm& algorithm : algorithms())
    test::add_case(std::string(algorithm.name) + " is right", "[collectives]",
                   [&algorithm] { test::check_algorithm(algorithm); });
  return true;
}();
}  // namespace

TEST_CASE("every algorithm has a test case of its own", "[collectives]") {
  CHECK(kAdded);
  CHECK(algorithms().size() >= 49);  // were the table empty before main(), no case would fail
}
