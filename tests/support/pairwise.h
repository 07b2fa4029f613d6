// Test plans that cover every pair of parameter values with few cases.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace rankscope::test {

/// One value index per parameter.
using Case = std::vector<int>;
/// Returns false for combinations that cannot be run; cases may have open places (-1).
using Allowed = std::function<bool(const Case&)>;

/// Returns cases that together contain every allowed pair of values of any two parameters. `levels[p]` is
/// the number of values of parameter p. The same seed gives the same cases.
std::vector<Case> pairwise_cases(const std::vector<int>& levels, std::uint64_t seed,
                                 const Allowed& allowed);

}  // namespace rankscope::test
