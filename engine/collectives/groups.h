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

/// Returns the largest divisor of n that is at most group_size(n, wanted): groups of equal size.
inline int equal_group_size(int n, int wanted) {
  int size = group_size(n, wanted);
  while (n % size != 0) --size;
  return size;
}

/// Groups of the same size; the ranks behind the last whole one hand their data to the group before and get the result
/// from it in the end.
class WholeGroups {
 public:
  WholeGroups(int n, int wanted) : ranks_(n), size_(group_size(n, wanted)) {}

  int size() const noexcept { return size_; }
  int groups() const noexcept { return ranks_ / size_; }
  bool sits_out(int rank) const noexcept { return rank >= groups() * size_; }
  /// Rank + size() sits out and this rank carries for it.
  bool carries(int rank) const noexcept {
    return !sits_out(rank) && rank + size_ < ranks_ && sits_out(rank + size_);
  }
  bool has_surplus() const noexcept { return ranks_ % size_ != 0; }

 private:
  int ranks_, size_;
};

}  // namespace rankscope
