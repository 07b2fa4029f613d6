// The parts of a run that a user chose, and checks of the ranks and rounds for which a diagram is asked.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// The message, rank or chunk that is strong while all else is pale; -1: none.
struct SceneChoice {
  std::int64_t message = -1;  ///< Index in Rounds::messages.
  Rank rank = -1;
  int chunk = -1;
  bool any() const noexcept { return message >= 0 || rank >= 0 || chunk >= 0; }
  bool operator==(const SceneChoice&) const = default;
};

/// Throws UserError for ranks that the run lacks (naming those that it has), and for ranks listed twice.
void check_ranks(const std::vector<Rank>& ranks, int world);
/// Returns the first and the last round; `last` 0 stands for the run's last one, `count`. Throws UserError that names
/// the run's range.
std::pair<int, int> chosen_rounds(int first, int last, int count);

}  // namespace rankscope
