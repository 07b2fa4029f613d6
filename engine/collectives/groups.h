// How hierarchical algorithms group ranks.
#pragma once

#include <algorithm>

#include "engine/core/base/error.h"

namespace rankscope {

/// Ranks in a group: what was asked for (at most n), or by default the largest divisor of n that is
/// at most its square root; when that is 1, the square root rounded up.
inline int group_size(int n, int wanted) {
  if (wanted < 0) throw UserError("a group needs at least one rank: set group_size to 1 or more");
  if (wanted > 0) return std::min(wanted, n);
  int root = 1;
  while (root * root < n) ++root;
  for (int g = root; g > 1; --g)
    if (g * g <= n && n % g == 0) return g;
  return root;
}

}  // namespace rankscope
