// What each rank's result should be, computed one after the other from what the ranks began with.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "engine/analysis/meant/meaning.h"

namespace rankscope::meant {

/// By rank: those that take part, with what they began with.
using Inputs = std::map<Rank, std::vector<double>>;

/// Empty: the inputs do not allow it (other lengths), or the rank's result is not defined. `root` is a rank of the
/// inputs; the others are counted in ascending order.
std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank);
/// Of all inputs, elementwise; empty where their lengths differ.
std::vector<double> reduced(ReduceOp op, const Inputs& inputs);
/// Of lists of the same length: the first element that differs by more than rounding of numbers of this type; -1: none.
std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype);
/// Equal except for rounding of numbers of this type.
bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype);

}  // namespace rankscope::meant
