// Checks the ranks and rounds of a run for which a diagram is asked.
#pragma once

#include <utility>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// Throws UserError for ranks that the run lacks (naming those that it has), and for ranks listed twice.
void check_ranks(const std::vector<Rank>& ranks, int world);
/// Returns the first and the last round; `last` 0 stands for the run's last one, `count`. Throws UserError that names
/// the run's range.
std::pair<int, int> chosen_rounds(int first, int last, int count);

}  // namespace rankscope
