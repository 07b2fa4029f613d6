// Each rank's expected result as numbers, from the values with which the ranks began.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/account/numbers.h"
#include "engine/analysis/meant/meaning.h"

namespace rankscope::meant {

/// By rank that takes part, the values with which it began.
using account::Inputs;

/// A rank's result, where the ranks of the inputs are counted in ascending order. Empty where the inputs do not allow
/// it (a reduction of other lengths), or the result is not defined.
std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank);
/// The first element of two lists of the same length that differs by more than rounding of numbers of this type; or -1.
std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype);
/// Whether both are equal except for rounding of numbers of this type; empty lists are not.
bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype);

}  // namespace rankscope::meant
