// Whose data a wrong sum is made of, how often, and of which chunk.
#pragma once

#include <optional>
#include <vector>

#include "engine/analysis/meant/expected.h"

namespace rankscope::meant {

/// One rank's data in a sum.
struct Term {
  Rank rank = -1;
  int times = 0;   ///< 0: it is missing.
  int chunk = -1;  ///< Which chunk of it; -1: the one that belongs there.
};

/// The makeup of elements [begin, end) of a sum of `inputs`; a term for each rank. Nothing: no combination gives
/// these numbers, or several do.
std::optional<std::vector<Term>> makeup_of(const std::vector<double>& sum, const Inputs& inputs,
                                           std::size_t begin, std::size_t end,
                                           std::size_t input_begin);

}  // namespace rankscope::meant
